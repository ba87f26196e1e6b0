"""Acts on many rows of a list: on those that are ticked, or on all that are listed, on every page."""

from collections.abc import Iterator

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from lib.faults import Conflict, CrosswalkError, Invalid
from web.http.keyset_pages import counted
from web.staff.grid.listing import MOST_COUNTED, ROWS, Act, Given, Listing, M, R, Refusal

TICKED, ALL = "ticked", "all"
LONGEST_REASON = 2000


def perform(request: HttpRequest, listing: Listing[M, R]) -> HttpResponse:
    """Do the posted act to the chosen rows, and lead back to the list.

    A row that the act refuses stays as it is, and the page says why. The form names “all” by the filters of the
    address, not by the rows, and says how many there were; if there are more or fewer now, nothing is done.

    Raises:
        Invalid: there is no such act, nothing is chosen, too much is chosen, or a reason is missing.
        Conflict: the list has changed since the page was loaded.
    """
    act = next((one for one in listing.acts if one.key == request.POST.get("act")), None)
    if act is None:
        raise Invalid("Choose what to do.")
    reason = request.POST.get("reason", "").replace("\0", "").strip()
    if act.needs_reason and not reason:
        raise Invalid("Say why: whoever looks at this later cannot ask you.")
    if len(reason) > LONGEST_REASON:
        raise Invalid(f"Use {LONGEST_REASON} characters at most for the reason.")
    option = request.POST.get(f"option-{act.key}", "")
    if act.options and option not in dict(act.options):
        raise Invalid(f"Choose for “{act.label}”.")
    done, unchanged, refused = 0, 0, dict[str, int]()
    for row in _chosen(request, listing, act):
        try:
            if act.do(row, Given(reason, option)) is False:
                unchanged += 1
            else:
                done += 1
        except CrosswalkError as error:
            refused[error.reason] = refused.get(error.reason, 0) + 1
    said = [f"✓ {done:,} {act.done}."] if done else []
    said += [f"{unchanged:,} were so already."] if unchanged else []
    said += [f"{n:,} stay as they are: {why}" for why, n in refused.items()]
    (messages.success if done else messages.warning)(request, " ".join(said))
    return redirect(request.get_full_path())


def _chosen(request: HttpRequest, listing: Listing[M, R], act: Act[M]) -> Iterator[M]:
    if request.POST.get("which") == ALL:
        now = counted(listing.rows, most=MOST_COUNTED)
        if request.POST.get("counted") != now:
            raise Conflict(f"The list has changed: {now} {listing.plural} match now. Look at it again, then choose.")
        if int(now.replace(",", "")) > act.most if now.replace(",", "").isdigit() else True:
            raise Invalid(f"This is done to {act.most:,} {listing.plural} at most at once. Narrow the list first.")
        return (row for batch in listing.batches(request) for row in batch)
    named = [int(pk) for pk in request.POST.getlist("row") if pk.isascii() and pk.isdigit() and len(pk) < 19]
    if not named:
        raise Invalid(f"Nothing is chosen. Tick some {listing.plural} first, or choose all that are listed.")
    return iter(_in_order(listing, named[:ROWS]))


def _in_order(listing: Listing[M, R], named: list[int]) -> list[M]:
    found: dict[int, Model] = {row.pk: row for row in listing.rows.filter(pk__in=named)}
    return [found[pk] for pk in named if pk in found]  # type: ignore[misc]


def refusal_of(request: HttpRequest, error: CrosswalkError) -> Refusal:
    """The values that were typed and chosen in a form that is refused."""
    return Refusal(
        error.reason,
        request.POST.get("reason", ""),
        request.POST.getlist("row"),
        request.POST.get("which", ""),
    )
