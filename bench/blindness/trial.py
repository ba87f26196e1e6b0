"""The record of a trial: everything that the workers of one strategy saw in one project."""

from dataclasses import asdict, dataclass, field

from bench.blindness.server import Json


@dataclass
class Look:
    """The answer of `GET /work/`: the worker's numbers, and the size and the time of the response.

    `summary` has all numbers of `GET /work/summary/` by their place in it, and its size, where the worker looked there.
    """

    done: int
    open: int
    earned: float
    bytes: int
    seconds: float
    summary: dict[str, float] = field(default_factory=dict)


@dataclass
class Serving:
    """One unit served to one worker, up to the end of the hold.

    Attributes:
        who: The number of the worker.
        where: The number of the project, 0 unless the strategy works in two.
        turn: The number of this claim among the worker's claims in this project.
        headers: The names of the claim's headers in their order, with values where these are the same at each claim.
        keys: The keys of the claim's JSON in their order, nested.
        digest: A digest of the payload without addresses.
        lease_s: The lease that the claim named.
        end: submitted, released, reported or expired; empty if the worker still holds it.
        looks: The worker's numbers before the claim, after it, and after the end, where the worker looked.
        extras: Times and sizes of further calls about the hold, by their names.
        notice: A new notice was there after the end.
        refusal: The code with which the next claim was refused.
    """

    who: int
    where: int
    turn: int
    content: str
    at: float
    seconds: float
    bytes: int
    header_bytes: int
    headers: str
    keys: str
    digest: str
    assignment: str
    lease_s: float
    end: str = ""
    end_seconds: float = 0.0
    end_bytes: int = 0
    end_header_bytes: int = 0
    looks: list[Look | None] = field(default_factory=list)
    extras: dict[str, float] = field(default_factory=dict)
    notice: bool = False
    refusal: str = ""


@dataclass
class Trial:
    """One strategy in one project.

    Attributes:
        project: The number of the project.
        contents: The contents of all units of the project, in the order of posting.
        references: The contents of the references: the labels.
        servings: In the order of time.
        junk: The contents to which the first worker then gave a junk answer.
        enough: The references that this worker had not answered sufficed for the junk answers.
        stopped: The code of the refusal that ended the strategy; empty if none did.
    """

    project: int
    strategy: str
    workers: int
    redundancy: int
    rate: float
    is_scarce: bool
    contents: list[str]
    references: list[str]
    servings: list[Serving] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)
    enough: bool = False
    stopped: str = ""

    def as_json(self) -> Json:
        return asdict(self)


def trial_from(found: Json) -> Trial:
    """The trial that `Trial.as_json` wrote."""
    servings = [
        Serving(**{**one, "looks": [look and Look(**look) for look in one["looks"]]}) for one in found["servings"]
    ]
    return Trial(**{**found, "servings": servings})
