from django.apps import AppConfig


class DemoConfig(AppConfig):
    """The commands that load and simulate the demo."""

    name = "demo"
