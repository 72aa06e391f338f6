import json
import os
from datetime import datetime, timezone


from client import AuthenticatedClient
from client.api.console import pause_webhook
from client.api.inbound import create_lead
from client.api.installer import list_job_feed, record_status_event
from client.models import LeadIn, ListJobFeedFrom, StatusEventIn, StatusEventInStatus

settings = os.environ
lead = {
    "full_name": "Ada Quill",
    "email": "ada@example.com",
    "phone": "+1 512 555 0100",
    "address": settings["UNIQUE"] + " Main Street",
}


def version_of(entries):
    return [entry.resource.version for entry in entries if entry.resource.id == settings["JOB_ID"]][-1]


def client_of(token, name, **others):
    return AuthenticatedClient(
        base_url=settings["BASE_URL"],
        token=token,
        prefix="",
        auth_header_name=name,
        raise_on_unexpected_status=True,
        **others,
    )


seller = client_of(settings["SELLER_KEY"], "x-api-key")
installer = client_of(settings["INSTALLER_KEY"], "x-api-key")
owner = client_of(settings["COOKIE"], "cookie")

created = create_lead.sync(client=seller, body=LeadIn(**lead))
feed = list_job_feed.sync(client=installer, from_=ListJobFeedFrom.START, limit=100)
job = record_status_event.sync(
    settings["JOB_ID"],
    client=installer,
    idempotency_key=settings["UNIQUE"],
    body=StatusEventIn(
        status=StatusEventInStatus.ACKNOWLEDGED,
        # Written with `+00:00`.
        occurred_at=datetime.now(timezone.utc),
        expected_version=version_of(feed.resources),
    ),
)
webhook = pause_webhook.sync(settings["WEBHOOK_ID"], client=owner, origin=settings["ORIGIN"])
print(
    json.dumps(
        {
            "leadId": created.lead_id,
            "version": job.resource.version,
            "state": str(webhook.state),
        }
    )
)
