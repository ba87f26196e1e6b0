"""The ASGI application that uvicorn serves: pages and the API, and the sockets of live sessions."""

import gc
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()

# Only after the apps are loaded, which the line above sees to.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from interaction.sockets import SameOrigin, socket_patterns  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": SameOrigin(URLRouter(socket_patterns))})

# What is loaded by now stays: looked through again and again it would hold up all sockets for a fifth of a second.
gc.collect()
gc.freeze()
