# syntax=docker/dockerfile:1
FROM python:3.13-slim

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore \
    PYTHONUNBUFFERED=1

# The twin needs no rights: it writes to /app/.sayso, and your answers to a KNOWLEDGE_DIR that lets it.
RUN useradd --create-home --uid 1000 --user-group sayso
WORKDIR /app

# Libraries first: this layer is built again only when the lock changes.
COPY requirements.lock ./
RUN pip install --no-deps --require-hashes -r requirements.lock

# Editable, so that migrations/ and alembic.ini are found beside server/ as in a checkout.
COPY . .
RUN pip install --no-deps --no-build-isolation --editable . \
    && python -m compileall -q server \
    && install -d -o sayso -g sayso -m 0700 .sayso

USER 1000:1000
ENV PYTHONDONTWRITEBYTECODE=1
VOLUME /app/.sayso
EXPOSE 8000

HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]

# The exec form: SIGTERM reaches the server, which lets open runs come to a boundary.
CMD ["sayso", "serve", "--host", "0.0.0.0", "--port", "8000"]
