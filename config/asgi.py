"""The ASGI application that uvicorn runs: pages, the API, and the sockets of live sessions."""

import gc
import os

import django

from config.private_files import create_privately

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
create_privately()
django.setup(set_prefix=False)

# These imports need the apps, which the line above loads.
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from config.lifespan import lifespan  # noqa: E402
from web.edge.bodies import BoundedBodies  # noqa: E402
from web.edge.request_threads import ThreadedHandler  # noqa: E402
from web.http.full_disk import AnswerWhenFull  # noqa: E402
from web.sockets.routes import SameOrigin, socket_patterns  # noqa: E402

web = BoundedBodies(AnswerWhenFull(ThreadedHandler()))
sockets = SameOrigin(URLRouter(socket_patterns))
application = ProtocolTypeRouter({"http": web, "websocket": sockets, "lifespan": lifespan})

# Objects that exist now live as long as the process. Without `freeze` each full garbage collection would visit them
# again, and hold up all sockets for a fifth of a second.
gc.collect()
gc.freeze()
