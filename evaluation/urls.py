"""The addresses of videos."""

from django.urls import path

from evaluation import media

urlpatterns = [
    path("clips/<str:signed>/<str:name>", media.clip, name="clip"),
]
