"""The page that refuses a sign-in, and its sentences."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

NO_ACCOUNT = "There is no staff account for you. Ask an admin to make one with your e-mail address, then try again."
UNVERIFIED = (
    "The sign-in service does not vouch for your e-mail address. Confirm the address there, then try again, "
    "or sign in with a password."
)
SUPERUSER = "This account may change everything, so it signs in with its password and a code, never from outside."
OTHER_IDENTITY = (
    "Your e-mail address belongs to an account that somebody else of the sign-in service uses, or yours changed there. "
    "Ask an admin to take the old connection away."
)
SERVICE_FAILED = (
    "The sign-in service did not answer as it should, or the attempt took too long. Please try again from the "
    "sign-in page; if it happens again, sign in with a password and tell an admin."
)
CANCELLED = "You ended the sign-in at the sign-in service. Nothing has happened."


def sign_in_refused(request: HttpRequest, sentence: str, *, status: int = 403) -> HttpResponse:
    """The refusal as a page with a link back to the sign-in page."""
    ctx = {"sentence": sentence}
    return render(request, "staff/sign_in/refused.html", ctx, status=status)
