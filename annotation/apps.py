from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import tools
        from annotation.tools.marker import marker

        tools.register(marker)
