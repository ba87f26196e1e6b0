"""What answers where no view does: a problem for programs, a page for people."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt

from common.errors import is_api, plain_problem, problem_of, problem_page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, problem_of(exception) or plain_problem(400))
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, plain_problem(403))
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return problem_page(request, plain_problem(404))
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return problem_page(request, plain_problem(500))
    return defaults.server_error(request)


@csrf_exempt
def no_such_address(request: HttpRequest) -> HttpResponse:
    """Whatever is asked of an address that the API does not have."""
    return problem_page(request, plain_problem(404))
