"""Types of `projects`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from crosswalk_client.types.shared import Money, MoneyPatchRequest, MoneyRequest


class AggregationBody(TypedDict):
    method: NotRequired[Literal["majority", "weighted", "dawid_skene"]]
    confidence: NotRequired[float | None]
    least: NotRequired[int]
    most: NotRequired[int | None]


class AggregationBodyPatchRequest(TypedDict):
    method: NotRequired[Literal["majority", "weighted", "dawid_skene"] | None]
    confidence: NotRequired[float | None]
    least: NotRequired[int | None]
    most: NotRequired[int | None]


class AggregationBodyRequest(TypedDict):
    method: NotRequired[Literal["majority", "weighted", "dawid_skene"]]
    confidence: NotRequired[float | None]
    least: NotRequired[int]
    most: NotRequired[int | None]


class AncestorFigure(TypedDict):
    pos: list[float]
    look: list[float]


class AncestorFrame(TypedDict):
    origin: list[int]
    size: list[int]


class AncestorScene(TypedDict):
    avatarInfo: NotRequired[AncestorFigure]
    agentInfo: NotRequired[AncestorFigure]
    blocks: list[list[int]]
    inst_seg_tags: list[AncestorTag]
    frame: AncestorFrame


class AncestorTag(TypedDict):
    tags: list[str]
    locs: list[list[int]]


class AnnotationLine(TypedDict):
    annotation: str
    task: str
    worker: str
    answer: dict[str, Any]
    is_reference: bool
    score: float | None
    claimed_at: str
    submitted_at: str
    active_s: float | None
    superseded_by: str | None
    instructions_version: int | None


class ApprovalsAnswer(TypedDict):
    decided: int
    unchanged: int


class ApprovalsBodyRequest(TypedDict):
    annotations: list[str]
    decision: Literal["approved", "rejected", "softly_rejected"]
    reason: NotRequired[str]
    overturn: NotRequired[bool]


class ArmBody(TypedDict):
    name: str
    share: NotRequired[float]
    instructions: NotRequired[list[str] | None]
    pay: NotRequired[PayBody | None]
    settings: NotRequired[dict[str, Any]]


class ArmBodyRequest(TypedDict):
    name: str
    share: NotRequired[float]
    instructions: NotRequired[list[str] | None]
    pay: NotRequired[PayBodyRequest | None]
    settings: NotRequired[dict[str, Any]]


class ArmEffortAnswer(TypedDict):
    arm: str
    workers: int
    answers: int
    minutes: float
    references: int
    right_a_minute: EstimateAnswer
    to_first: EstimateAnswer


class ConsensusLine(TypedDict):
    task: str
    answer: dict[str, Any]
    method: str
    confidence: float
    annotations: int


class EstimateAnswer(TypedDict):
    value: float | None
    low: float | None
    high: float | None


class ExperimentBody(TypedDict):
    name: str
    arms: list[ArmBody]


class ExperimentBodyPatchRequest(TypedDict):
    name: NotRequired[str]
    arms: NotRequired[list[ArmBodyRequest]]


class ExperimentBodyRequest(TypedDict):
    name: str
    arms: list[ArmBodyRequest]


class FindingLine(TypedDict):
    task: str
    annotation: str | None
    taxonomy: Literal["human_error", "agent_failure"]
    category: str
    note: str
    at: str


class FormAnswer(TypedDict):
    worker: str
    annotation: str
    answer: dict[str, Any]
    submitted_at: str


class FormDecision(TypedDict):
    by: str
    second: str | None
    at: str


class FormLine(TypedDict):
    command: str
    text: str
    tokens: list[str]
    context: list[FormTurn]
    form: dict[str, Any]
    other_forms: list[dict[str, Any]]
    words: str
    method: str
    confidence: float
    settled_at: str
    marked: bool | None
    agent_form: dict[str, Any] | None
    agrees: bool | None
    is_reference: bool
    with_guess: bool
    adjudicated: FormDecision | None
    provenance: list[FormStep]


class FormReason(TypedDict):
    path: str
    reason: str


class FormStep(TypedDict):
    step: str
    path: str
    round: int
    answers: list[FormAnswer]
    confidence: float


class FormTurn(TypedDict):
    speaker: str
    text: str


class FormsAnswer(TypedDict):
    created: int
    unchanged: int
    repaired: list[RepairedLine]
    refused: list[RefusedLine]


class FormsBodyRequest(TypedDict):
    lines: str
    shape: NotRequired[Literal["auto", "jsonl", "pairs", "ids", "tabs"]]
    skip_refused: NotRequired[bool]


class GateBody(TypedDict):
    action: Literal["warn", "pause"]
    below: float
    minimum_n: int
    alpha: NotRequired[float]
    beta: NotRequired[float]


class GateBodyRequest(TypedDict):
    action: Literal["warn", "pause"]
    below: float
    minimum_n: int
    alpha: NotRequired[float]
    beta: NotRequired[float]


class GeneratedBodyRequest(TypedDict):
    seed: int
    first: NotRequired[int]
    shapes: NotRequired[list[int]]
    holes: NotRequired[list[int]]
    size: NotRequired[list[int]]
    ground_depth: NotRequired[int]
    negatives: NotRequired[float]
    per_scene: NotRequired[int]
    n: int
    references: NotRequired[bool]


class LinkAnswer(TypedDict):
    url: str
    token: str
    expires_at: str


class LinkBodyRequest(TypedDict):
    worker: str


class MaskAnswer(TypedDict):
    voxels: NotRequired[list[list[int]]]
    absent: NotRequired[bool]


class MaskLine(TypedDict):
    task: str
    scene: str
    phrase: str
    answer: MaskAnswer
    method: str
    confidence: float
    annotations: int
    settled_at: str
    source: dict[str, Any] | None
    agent_mask_iou: float | None
    shares: NotRequired[list[list[float]]]


class MasksAnswer(TypedDict):
    created: int
    unchanged: int
    scenes: list[str]
    origins: list[list[int]]
    ignored: list[str]


MasksBodyRequest = TypedDict(
    "MasksBodyRequest",
    {"scenes": "list[dict[str, Any]]", "as": 'Literal["tasks", "references", "agent_masks"]', "key_prefix": "str"},
)


class PayBody(TypedDict):
    base: Money


class PayBodyPatchRequest(TypedDict):
    base: NotRequired[MoneyPatchRequest]


class PayBodyRequest(TypedDict):
    base: MoneyRequest


class PostedReference(TypedDict):
    answers: list[dict[str, Any]]
    tolerance_s: float | None


class PostedTask(TypedDict):
    key: str
    payload: dict[str, Any]
    priority: int
    redundancy: int | None
    reference: PostedReference | None
    status: Literal["open", "done", "unjudgeable", "withdrawn"]
    annotations: int
    created_at: str
    closed_at: str | None


class ProgressAnswer(TypedDict):
    tasks: int
    open: int
    done: int
    unjudgeable: int
    annotations: int
    references: int


class ProjectAnswer(TypedDict):
    tool: Literal["interaction", "marker", "parse", "voxels"]
    title: str
    instructions: list[str]
    suite: NotRequired[str | None]
    agents: NotRequired[list[str] | None]
    version: NotRequired[str | None]
    redundancy: NotRequired[int]
    reference_rate: NotRequired[float]
    start: NotRequired[StartBody | None]
    lease_s: NotRequired[int]
    limit_per_worker: NotRequired[int | None]
    pay: NotRequired[PayBody | None]
    budget: NotRequired[Money | None]
    consent: NotRequired[str | None]
    qualification: NotRequired[str | None]
    gates: list[GateBody]
    aggregation: NotRequired[AggregationBody]
    two_person_review: NotRequired[bool]
    approve_after_s: NotRequired[int | None]
    experiment: NotRequired[ExperimentBody | None]
    settings: NotRequired[dict[str, Any]]
    status: Literal["draft", "live", "paused", "closed"]
    slug: str
    archived_at: NotRequired[str]
    progress: ProgressAnswer


class ProjectBodyPatchRequest(TypedDict):
    tool: NotRequired[Literal["interaction", "marker", "parse", "voxels"]]
    title: NotRequired[str]
    instructions: NotRequired[list[str]]
    suite: NotRequired[str | None]
    agents: NotRequired[list[str] | None]
    version: NotRequired[str | None]
    redundancy: NotRequired[int | None]
    reference_rate: NotRequired[float | None]
    start: NotRequired[StartBodyPatchRequest | None]
    lease_s: NotRequired[int | None]
    limit_per_worker: NotRequired[int | None]
    pay: NotRequired[PayBodyPatchRequest | None]
    budget: NotRequired[MoneyPatchRequest | None]
    consent: NotRequired[str | None]
    qualification: NotRequired[str | None]
    gates: NotRequired[list[GateBodyRequest] | None]
    aggregation: NotRequired[AggregationBodyPatchRequest | None]
    two_person_review: NotRequired[bool | None]
    approve_after_s: NotRequired[int | None]
    experiment: NotRequired[ExperimentBodyPatchRequest | None]
    settings: NotRequired[dict[str, Any] | None]
    status: NotRequired[Literal["draft", "live", "paused", "closed"]]


class ProjectBodyRequest(TypedDict):
    tool: Literal["interaction", "marker", "parse", "voxels"]
    title: str
    instructions: list[str]
    suite: NotRequired[str | None]
    agents: NotRequired[list[str] | None]
    version: NotRequired[str | None]
    redundancy: NotRequired[int]
    reference_rate: NotRequired[float]
    start: NotRequired[StartBodyRequest | None]
    lease_s: NotRequired[int]
    limit_per_worker: NotRequired[int | None]
    pay: NotRequired[PayBodyRequest | None]
    budget: NotRequired[MoneyRequest | None]
    consent: NotRequired[str | None]
    qualification: NotRequired[str | None]
    gates: NotRequired[list[GateBodyRequest] | None]
    aggregation: NotRequired[AggregationBodyRequest]
    two_person_review: NotRequired[bool]
    approve_after_s: NotRequired[int | None]
    experiment: NotRequired[ExperimentBodyRequest | None]
    settings: NotRequired[dict[str, Any]]
    status: Literal["draft", "live", "paused", "closed"]


class QuestionEffortAnswer(TypedDict):
    question: str
    ask: str
    answers: int
    usual_s: float | None
    minutes: float
    undone: int
    references: int
    wrong: int


class RefusedLine(TypedDict):
    line: int
    path: str
    reason: str


class RepairedLine(TypedDict):
    line: int
    reasons: list[FormReason]


class StartBody(TypedDict):
    tasks: int
    reference_rate: float


class StartBodyPatchRequest(TypedDict):
    tasks: NotRequired[int]
    reference_rate: NotRequired[float]


class StartBodyRequest(TypedDict):
    tasks: int
    reference_rate: float


class TaskBodyRequest(TypedDict):
    key: str
    payload: dict[str, Any]
    priority: NotRequired[int]
    redundancy: NotRequired[int | None]
    reference: NotRequired[TaskReferenceRequest | None]


class TaskReferenceRequest(TypedDict):
    answers: list[dict[str, Any]]
    tolerance_s: NotRequired[float | None]


class TasksAnswer(TypedDict):
    created: int
    unchanged: int


class TasksBodyRequest(TypedDict):
    tasks: list[TaskBodyRequest]
