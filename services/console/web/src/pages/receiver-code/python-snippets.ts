/** How a Python receiver is put behind a web server; `receive` is one of the two below. */
export const PYTHON_SERVER = `from flask import Flask, request  # pip install flask

from receive import receive


class Store:
    """Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
    (for example: insert into events (id, body) values (%s, %s) on conflict (id) do nothing)."""

    def has(self, event_id):
        raise NotImplementedError

    def add(self, event_id, event):
        raise NotImplementedError


app = Flask(__name__)
store = Store()


@app.post("/webhooks")
def webhooks():
    # get_data gives the bytes as they came: JSON that was parsed and written again has another signature.
    # An exception is answered with 500, and the delivery comes again.
    return "", receive(request.headers, request.get_data(), store)
`;

/** Verifies with the PyPI package of Standard Webhooks. */
export const PYTHON_LIBRARY = `# receive.py
import json
import os

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def receive(headers, body, store):
    """The status to answer with. body: the raw bytes."""
    headers = {name.lower(): value for name, value in headers.items()}

    # The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
    secret = os.environ.get("WEBHOOK_SECRET_" + headers.get("x-svc-secret-version", ""))
    if not secret:
        return 401

    # The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
    try:
        Webhook(secret).verify(body, headers)
    except (WebhookVerificationError, ValueError):
        return 401

    # The same event can come more than once: it is processed once, and acknowledged each time.
    event_id = headers["webhook-id"]
    if store.has(event_id):
        return 204

    # Only now look into the body, and answer 2xx only after it is stored.
    store.add(event_id, json.loads(body))
    return 204
`;

/** Verifies `x-svc-signature` with what Python has. */
export const PYTHON_BY_HAND = `# receive.py
import hashlib
import hmac
import json
import os
import time

TOLERANCE_SECONDS = 300


def receive(headers, body, store):
    """The status to answer with. body: the raw bytes."""
    headers = {name.lower(): value for name, value in headers.items()}

    # The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
    secret = os.environ.get("WEBHOOK_SECRET_" + headers.get("x-svc-secret-version", ""))
    if not secret:
        return 401

    # 1. The signature over the raw body, compared in constant time. The key is the whole secret, whsec_ included.
    timestamp = headers.get("x-svc-timestamp", "")
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = headers.get("x-svc-signature", "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        return 401

    # 2. It is at most 300 seconds old.
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return 401

    # 3. Only now look into the body. The signature covers its id, but not the header.
    event_id = headers.get("webhook-id")
    event = json.loads(body)
    if event["id"] != event_id:
        return 400

    # 4. The same event can come more than once: it is processed once, and acknowledged each time.
    if store.has(event_id):
        return 204

    # 5. Answer 2xx only after it is stored.
    store.add(event_id, event)
    return 204
`;
