# The image of Crosswalk: the web server by default, the background worker with another command (docs/operations.md).

# Name these with their digests to build from exactly the images that you have looked at (docs/operations.md).
ARG NODE_IMAGE=node:22-slim
ARG PYTHON_IMAGE=python:3.12-slim

FROM ${NODE_IMAGE} AS frontend
WORKDIR /app/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
# Tables for Python and TypeScript alike: the voxel frame and palette, workers' words for tasks.
COPY lib/voxels/table.json /app/lib/voxels/
COPY lib/task_nouns.json /app/lib/
# The build erases types, so the types of the API are not needed here.
RUN npm run build

FROM ${PYTHON_IMAGE} AS packages
RUN python -m venv /venv
COPY requirements/ /requirements/
RUN /venv/bin/pip install --no-cache-dir --require-hashes -r /requirements/base.txt
# By comma: --build-arg CROSSWALK_EXTRAS=parquet
ARG CROSSWALK_EXTRAS=
RUN for extra in $(echo "$CROSSWALK_EXTRAS" | tr , ' '); do \
        /venv/bin/pip install --no-cache-dir --require-hashes -r "/requirements/$extra.txt" || exit 1; done

FROM ${PYTHON_IMAGE}
RUN useradd --system --create-home --uid 10001 crosswalk \
    && mkdir /data \
    && chown crosswalk:crosswalk /data
ENV PATH=/venv/bin:$PATH \
    PYTHONPATH=/app/client \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    CROSSWALK_DATA_DIR=/data \
    CROSSWALK_STATIC_DIR=/app/static
WORKDIR /app
COPY --from=packages /venv /venv
COPY . .
COPY --from=frontend /app/frontend/dist frontend/dist
# A key and a folder for this one command: none of the image's own may be kept in it.
RUN CROSSWALK_SECRET_KEY=collectstatic CROSSWALK_DATA_DIR=/app/.build python manage.py collectstatic --noinput \
    && rm -r /app/.build \
    # Compiled once: a container could not keep it, and would compile all modules at each start.
    && python -m compileall -q .
USER crosswalk
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# Without an access log: the address of a worker's link carries a token.
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--no-server-header", "--log-level", "warning", "--no-access-log", "--timeout-graceful-shutdown", "20", \
     "--http", "web.edge.connections:BoundedHttp", "--no-proxy-headers", \
     "--ws", "web.sockets.protocol:SessionSockets", "--ws-max-size", "4194304", "--ws-per-message-deflate", "false"]
