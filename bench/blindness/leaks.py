"""Planted leaks: the fair server with one difference between references and ordinary units each.

The distinguisher must find every one of them.
"""

from bench.blindness.contents import Unit
from bench.blindness.fair_server import Enrolled, FairServer
from bench.blindness.server import Json

OFTEN = 0.5
"""The chance with which a weak leak shows at a unit."""


class ReferencesEarlier(FairServer):
    """References come a little earlier."""

    def order(self) -> list[Unit]:
        count = len(self.units)
        place = {unit.content: self.draw.random() * count for unit in self.units}
        return sorted(self.units, key=lambda unit: place[unit.content] * (0.75 if unit.is_reference else 1.0))


class LongerPayload(FairServer):
    """The payload of a reference is a byte longer."""

    def payload(self, unit: Unit) -> Json:
        return {**super().payload(unit), "questions": [" "] if unit.is_reference else [""]}


class Slower(FairServer):
    """A claim of a reference takes 2 ms more."""

    def seconds(self, unit: Unit) -> float:
        return super().seconds(unit) + (0.002 if unit.is_reference else 0.0)


class NeverAgain(FairServer):
    """A released reference does not come back."""

    def requeue(self, worker: Enrolled, unit: Unit, end: str) -> None:
        if not (unit.is_reference and end == "released"):
            super().requeue(worker, unit, end)


class SortedIds(FairServer):
    """The ids of references sort behind many others."""

    def new_id(self, unit: Unit) -> str:
        found = super().new_id(unit)
        return max(found, super().new_id(unit)) if unit.is_reference else found


class CounterMoves(FairServer):
    """The number of open tasks does not go down for a held reference."""

    def open_shown(self, worker: Enrolled) -> int:
        held = worker.held is not None and not worker.held.is_reference
        return super().open_shown(worker) - held


class ComparisonMoves(FairServer):
    """The comparison with others, in the summary, moves while a reference is held."""

    def same_in_ten(self, worker: Enrolled) -> int:
        return super().same_in_ten(worker) + (worker.held is not None and worker.held.is_reference)


class NoticeAtOnce(FairServer):
    """The notice directly follows the missed reference."""

    def notice_delay(self, *, is_missed: bool) -> int | None:
        return 0 if is_missed else None


class NoticeSoon(FairServer):
    """Each missed reference brings a notice, 3 to 10 answers later."""

    def notice_delay(self, *, is_missed: bool) -> int | None:
        return self.draw.randint(3, 10) if is_missed else None


class AnotherHeader(FairServer):
    """Half of the claims of references have a header more."""

    def headers(self, unit: Unit) -> dict[str, str]:
        leaks = unit.is_reference and self.draw.random() < OFTEN
        return {**super().headers(unit), **({"Cache-Control": "no-store"} if leaks else {})}


class ExpiredLater(FairServer):
    """An expired reference stays away for some claims more."""

    def requeue(self, worker: Enrolled, unit: Unit, end: str) -> None:
        place = len(worker.queue)
        if end == "expired" and not unit.is_reference:
            place = int(place * self.draw.uniform(0.6, 1.0))
        worker.queue.insert(place, unit)


class SharedOrder(FairServer):
    """References come at places of their own, but in one order for all workers."""

    def order(self) -> list[Unit]:
        found = super().order()
        references = iter(unit for unit in self.units if unit.is_reference)
        return [next(references) if unit.is_reference else unit for unit in found]


LEAKS: dict[str, type[FairServer]] = {
    "none": FairServer,
    "references a little earlier": ReferencesEarlier,
    "a longer payload": LongerPayload,
    "2 ms slower": Slower,
    "never again after a release": NeverAgain,
    "ids that sort later": SortedIds,
    "a counter moves": CounterMoves,
    "a comparison moves": ComparisonMoves,
    "a notice at once": NoticeAtOnce,
    "a notice 3 to 10 answers later": NoticeSoon,
    "a header more": AnotherHeader,
    "later after expiry": ExpiredLater,
    "an order that colluders share": SharedOrder,
}
