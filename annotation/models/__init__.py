"""Projects offer tasks; workers hold them as assignments and answer with annotations; answers become a consensus."""

from annotation.models.consensus import Consensus, Fit, Rater
from annotation.models.doors import Arrival, Door
from annotation.models.parsing import Chain, Guess, Step
from annotation.models.privacy import FlaggedText, InformationVersion
from annotation.models.projects import InstructionVersion, Invitation, Membership, Method, Picture, Project
from annotation.models.review import Adjudication, Category, Finding
from annotation.models.scenes import KeptScene, SceneTask
from annotation.models.tasks import Task, TaskQuerySet, Truth
from annotation.models.trust import GateAction, Record, ScoreChange
from annotation.models.work import (
    Annotation,
    AnnotationQuerySet,
    Approval,
    Assignment,
    AssignmentQuerySet,
    Enrolment,
    WorkToken,
)

__all__ = [
    "Adjudication",
    "Annotation",
    "AnnotationQuerySet",
    "Approval",
    "Arrival",
    "Assignment",
    "AssignmentQuerySet",
    "Category",
    "Chain",
    "Consensus",
    "Door",
    "Enrolment",
    "Finding",
    "Fit",
    "FlaggedText",
    "GateAction",
    "Guess",
    "InformationVersion",
    "InstructionVersion",
    "Invitation",
    "KeptScene",
    "Membership",
    "Method",
    "Picture",
    "Project",
    "Rater",
    "Record",
    "SceneTask",
    "ScoreChange",
    "Step",
    "Task",
    "TaskQuerySet",
    "Truth",
    "WorkToken",
]
