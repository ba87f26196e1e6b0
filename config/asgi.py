"""The ASGI application that uvicorn runs: pages, the API, and the sockets of live sessions."""

import gc
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()

# These imports need the apps, which the line above loads.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from web.sockets.routes import SameOrigin, socket_patterns  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": SameOrigin(URLRouter(socket_patterns))})

# Objects that exist now live as long as the process. Without `freeze` each full garbage collection would visit them
# again, and hold up all sockets for a fifth of a second.
gc.collect()
gc.freeze()
