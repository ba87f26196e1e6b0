"""The addresses of the pages that a worker opens."""

from django.urls import path

from web.http import media
from web.work import doors, entry, practice, privacy, quiz, summary

urlpatterns = [
    path("enter/<name:slug>", entry.enter, name="enter"),
    path("enter/prolific/<name:slug>", doors.enter_by_panel, name="enter-prolific"),
    path("enter/panel/<name:panel>/<name:slug>", doors.enter_by_panel, name="enter-panel"),
    path("work/<name:slug>/finish/", doors.finish, name="work-finish"),
    path("work/<name:slug>/", entry.work, name="work"),
    path("work/<name:slug>/consent/", entry.consent, name="work-consent"),
    path("work/<name:slug>/appeal/", entry.appeal, name="work-appeal"),
    path("work/<name:slug>/summary/", summary.summary, name="work-summary"),
    path("work/<name:slug>/decisions/", summary.decisions, name="work-decisions"),
    path("work/<name:slug>/privacy/", privacy.privacy, name="work-privacy"),
    path("work/<name:slug>/privacy/withdraw/", privacy.withdraw_consent, name="work-withdraw"),
    path("work/<name:slug>/my-data/", privacy.my_data, name="work-my-data"),
    path("work/<name:slug>/my-data/download/", privacy.download, name="work-my-data-file"),
    path("pictures/<opaque:digest>", privacy.picture, name="picture"),
    path("work/<name:slug>/qualification/", quiz.quiz, name="work-qualification"),
    path("work/<name:slug>/practice/", practice.practice, name="work-practice"),
    path("clips/<str:signed>/<str:name>", media.clip, name="clip"),
]
