"""The first page of the server, for whoever opens its bare address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Staff who are signed in go to the overview; everybody else reads which way is theirs."""
    if request.user.is_authenticated and request.user.is_staff:
        return redirect("staff-overview")
    return render(request, "front.html")
