"""The API's documentation page."""

from csp.constants import NONCE, SELF
from csp.decorators import csp_replace
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularSwaggerSplitView


# Swagger UI styles its elements inline and loads plain scripts of ours; nothing but this page gets the wider policy.
@method_decorator(
    csp_replace({"style-src": [SELF, "'unsafe-inline'"], "script-src": [SELF, NONCE], "connect-src": [SELF]}),
    name="dispatch",
)
class ApiDocs(SpectacularSwaggerSplitView):
    """Swagger UI, served from here."""

    authentication_classes = []
    permission_classes = []
    url_name = "schema"
