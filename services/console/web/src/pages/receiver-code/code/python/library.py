# receive.py
import json
import os

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def receive(headers, body, store):
    """The status of the response. body: the raw bytes."""
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

    # Only now look into the body, and respond 2xx only after it is stored.
    store.add(event_id, json.loads(body))
    return 204
