from django.apps import AppConfig


class WorkforceConfig(AppConfig):
    name = "workforce"
