import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureOpenApiGenerator, ensurePython, runProgram } from '../support/toolchains.js';
import type { Generator } from './generator.js';

/** Settings of all programs in Python. `datetime.isoformat` of a time in UTC ends with `+00:00`. */
const SETTINGS = `
import json
import os
from datetime import datetime, timezone

settings = os.environ
lead = {
    "full_name": "Ada Quill",
    "email": "ada@example.com",
    "phone": "+1 512 555 0100",
    "address": settings["UNIQUE"] + " Main Street",
}


def version_of(entries):
    return [entry.resource.version for entry in entries if entry.resource.id == settings["JOB_ID"]][-1]
`;

const OPENAPI_PYTHON_CLIENT = `${SETTINGS}
from client import AuthenticatedClient
from client.api.console import pause_webhook
from client.api.inbound import create_lead
from client.api.installer import list_job_feed, record_status_event
from client.models import LeadIn, ListJobFeedFrom, StatusEventIn, StatusEventInStatus


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
`;

const OPENAPI_GENERATOR = `${SETTINGS}
import sys

sys.path.insert(0, "client")
from openapi_client import ApiClient, Configuration, ConsoleApi, InboundApi, InstallerApi
from openapi_client import LeadIn, StatusEventIn


def client_of(key):
    return ApiClient(Configuration(host=settings["BASE_URL"], api_key={"apiKey": key}))


inbound = InboundApi(client_of(settings["SELLER_KEY"]))
installer = InstallerApi(client_of(settings["INSTALLER_KEY"]))
console = ConsoleApi(ApiClient(Configuration(host=settings["BASE_URL"]), cookie=settings["COOKIE"]))

created = inbound.create_lead(LeadIn(**lead))
feed = installer.list_job_feed(var_from="start", limit=100)
job = installer.record_status_event(
    settings["JOB_ID"],
    settings["UNIQUE"],
    StatusEventIn(
        status="ACKNOWLEDGED",
        occurred_at=datetime.now(timezone.utc),
        expected_version=version_of(feed.resources),
    ),
)
webhook = console.pause_webhook(settings["WEBHOOK_ID"], settings["ORIGIN"])
print(
    json.dumps(
        {
            "leadId": created.lead_id,
            "version": job.resource.version,
            "state": webhook.state,
        }
    )
)
`;

const python = await ensurePython([
  'openapi-python-client==0.29.1',
  'httpx==0.28.1',
  'attrs==26.1.0',
  'python-dateutil==2.9.0.post0',
  'urllib3==2.5.0',
  'pydantic==2.14.3',
]);
const openApiGenerator = python === undefined ? undefined : await ensureOpenApiGenerator();

export const PYTHON_GENERATORS: readonly Generator[] = [
  {
    title: 'openapi-python-client (Python)',
    build:
      python === undefined
        ? undefined
        : async (directory) => {
            writeFileSync(path.join(directory, 'program.py'), OPENAPI_PYTHON_CLIENT);
            // The default hooks format the code.
            writeFileSync(path.join(directory, 'config.json'), JSON.stringify({ post_hooks: [] }));
            const generate = ['generate', '--path=openapi.json', '--output-path=client', '--meta=none'];
            await runProgram(
              python,
              ['-m', 'openapi_python_client', ...generate, '--config=config.json', '--fail-on-warning'],
              { cwd: directory },
            );
            return [python, 'program.py'];
          },
  },
  {
    title: 'OpenAPI Generator python (Python and Java)',
    build:
      python === undefined || openApiGenerator === undefined
        ? undefined
        : async (directory) => {
            writeFileSync(path.join(directory, 'program.py'), OPENAPI_GENERATOR);
            await runProgram(
              'java',
              [
                '-jar',
                openApiGenerator,
                'generate',
                '--input-spec=openapi.json',
                '--generator-name=python',
                '--output=client',
              ],
              { cwd: directory },
            );
            return [python, 'program.py'];
          },
  },
];
