import { ERROR_REASON_CATALOGUE } from '../api/error-reasons.js';
import { LIMITS, WEBHOOK_LIMITS } from '../api/limits.js';
import { MCP_PATHS } from '../api/mcp.js';
import { KEY_KINDS } from '../api/scopes.js';
import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '../api/versions.js';
import { JOB_STATUS_MOVES } from '../resources/job/job-status-moves.js';
import { JOB_STATUSES, SCHEDULE_STATUSES } from '../resources/job/job.js';
import { SCHEDULE_STATUS_MOVES } from '../resources/job/schedule-status-moves.js';
import { KEY_LIMITS } from '../resources/api-key/api-key.js';
import { CONFIRMED_MINUTES } from '../resources/session/session.js';
import { markdownTable } from './markdown-table.js';
import { SURFACES } from './surfaces.js';
import { webhookGuide } from './webhook-guide.js';

const code = (text: string) => `\`${text}\``;

const codes = (texts: readonly string[]) => texts.map(code).join(', ');

const count = (number: number) => number.toLocaleString('en-US');

/**
 * Returns the guide for partners' developers beyond the single operations, in Markdown; each section has a heading of
 * level 2.
 */
export function renderGuide(serverUrl: string): string {
  return [
    introduction(),
    firstRequest(serverUrl),
    keysAndScopes(),
    requestsAndResponses(),
    generatedClients(),
    errors(),
    retries(),
    concurrentChanges(),
    changeFeed(),
    assistants(serverUrl),
    rateLimits(),
    otherLimits(),
    versions(),
    jobStatuses(),
    scheduleStatuses(),
    webhookGuide(),
    sandbox(),
  ].join('\n\n');
}

function introduction(): string {
  return `
The service gives partner companies programmatic access to sales and installation work: submit leads, book appointments,
follow the jobs of your company, report their progress, and receive every event as a signed webhook.`.trim();
}

function firstRequest(serverUrl: string): string {
  return `
## First request

Every path is relative to \`${serverUrl}\`. With an API key of kind \`installer-company\`:

\`\`\`sh
curl -sS '${serverUrl}/partner/v1/jobs?view=snapshot' -H "x-api-key: $API_KEY"
\`\`\`

With one of kind \`general\`:

\`\`\`sh
curl -sS ${serverUrl}/inbound/leads -H "x-api-key: $API_KEY" -H 'content-type: application/json' \\
  -d '{"fullName":"Ada Quill","email":"ada.quill@example.com","phone":"+1 512 555 0100","address":"12 North Elm Street, Austin, TX 78701"}'
\`\`\``.trim();
}

function keysAndScopes(): string {
  const owners = {
    general: 'a company that sells',
    'installer-contractor': 'a company that sells, bound to one installer company',
    'installer-company': 'an installer company',
    automation: 'any company',
  } as const satisfies Record<keyof typeof KEY_KINDS, string>;
  const sees = {
    general: "that company's leads and projects",
    'installer-contractor': 'jobs that the company sold and that this installer performs',
    'installer-company': 'jobs that are assigned to the company, from every seller',
    automation: "that company's webhooks, deliveries and audit trail",
  } as const satisfies Record<keyof typeof KEY_KINDS, string>;
  const paths = { inbound: '/inbound', installer: '/partner/v1', automation: '/automation/v1' };
  const kinds = ['general', 'installer-contractor', 'installer-company', 'automation'] as const;
  const rows = kinds.map((kind) => [
    code(kind),
    owners[kind],
    code(paths[KEY_KINDS[kind].surface]),
    codes(KEY_KINDS[kind].scopes),
    sees[kind],
  ]);
  return `
## Keys and scopes

Every request carries the header \`x-api-key: <keyId>.<secret>\`. The secret begins with \`svc_test_\` in the sandbox and with
\`svc_live_\` in production, and is shown once. A key belongs to one company, and its kind fixes what it may do:

${markdownTable(['Kind', 'Owner', 'Surface', 'Scopes', 'Sees'], rows)}

A key that is missing, malformed, revoked, expired, or of another surface or environment is 401: the error names a violation in
the key itself, and \`WWW-Authenticate\` the credentials that the operation accepts. A key that lacks the scope of
an operation is 403. The console takes no API keys: an owner signs in there, and the browser sends the session's cookie.

A key of kind \`automation\` ends after at most ${KEY_LIMITS.automationDays} days. If its owner bound it to networks, a request from any other address is 403.`.trim();
}

function requestsAndResponses(): string {
  return `
## Requests and responses

- Bodies are JSON in UTF-8 with \`content-type: application/json\`, uncompressed, up to 1 MB (${count(LIMITS.bodyBytes)} bytes); those of
  the console up to the size that its operation states. They nest at most 64 levels deep and have at most 20,000 tokens: brackets,
  braces, commas, colons, texts, numbers and literals. A body that stalls for 10 seconds is 408. A request without a body needs no content type.
- The service ignores unknown fields and query parameters. A query parameter in the wrong case or with brackets, such as
  \`Limit\` or \`limit[]\`, is 400. Ignore unknown fields in responses: new ones need no new version.
- Date-times are ISO 8601 in UTC. The service accepts seconds (00 to 59) or fractions, and \`Z\` or \`+00:00\`; in a query, write \`+\` as \`%2B\`.
  Any other offset is 400, \`-00:00\` too. Appointments and schedules are in the years 2000 to 2100. Responses always have
  milliseconds and \`Z\`.
- A time zone is a zone or link of the IANA tz database in its exact spelling, such as \`America/Chicago\` or \`US/Central\`. Abbreviations
  from other lists, such as \`PST\`, are 400.
- Ids are opaque texts: a prefix such as \`job_\` and letters and digits.
- Text is counted in characters (Unicode code points), and must not contain the character U+0000. A required text such as a name,
  an address or a note must contain more than white space; an optional one may be empty.
- Every response has the header \`x-request-id\`: yours, if you send one of up to 128 letters, digits, \`.\`, \`_\`, \`:\` and
  \`-\`, else a new one. Log it: it identifies the request in our logs.
- An unknown path is 404. A known path with another method is 405, and the header \`allow\` lists its methods.
- A request that violates HTTP/1.1 is refused before anything else, with the body of an error: malformed, or without exactly
  one \`Host\`, or with a \`transfer-encoding\` that does not end in \`chunked\` 400; more than 30 seconds to arrive 408; headers of more than 16 KB 431; another transfer coding before \`chunked\`
  501. If you send more bytes than the \`content-length\` says, you get the response to the request, then the connection ends.

**Compression.** Send \`accept-encoding: br, gzip\`, as most HTTP clients do. Responses to \`GET\` of 1 KB and more are compressed, a
page of the feed to a tenth of its size. Responses to writes never are.

**Conditional requests.** The responses of \`listJobFeed\` and \`getJob\` have an \`ETag\`. Send it as \`If-None-Match\`: if the
response is unchanged, you get a 304 without a body. It counts towards the rate limit like any other. These responses
have \`cache-control: private, no-cache\`, so your own HTTP cache does this automatically.`.trim();
}

function generatedClients(): string {
  return `
## Generated clients

There are clients for TypeScript and Python. They retry, follow the change feed, receive webhooks and compare your
webhooks with a file. Install them from \`/clients\`
of this address, which has the commands and checksums; they are in no public registry. For other languages, client generators read \`/openapi.json\`, which is OpenAPI 3.1. Three things to know:

- A list of values such as \`ErrorCode\` can grow. If your generator's clients fail on an unknown value,
  set its option that accepts one, or catch the failure and use the status. With OpenAPI Generator's \`java\` it is
  \`enumUnknownDefaultCase=true\`, and \`createLead\` needs it: the client reads a created lead as a merged one.
- oapi-codegen omits types that only webhooks use, and its result does not compile: set \`skip-prune\`.
- ogen (Go) does not know the default of an object: in \`ogen.yml\`, name \`object defaults\` under \`generator.ignore_not_implemented\`.`.trim();
}

function errors(): string {
  const rows = Object.entries(ERROR_REASON_CATALOGUE).map(([reason, { httpStatus, meaning, action }]) => [
    String(httpStatus),
    code(reason),
    meaning,
    action,
  ]);
  return `
## Errors

The body of every error is \`{"error": <message>, "code": …, "requestId": …}\`. \`error\` is for people, and for a 400 names the
field; \`code\` is for a program, and stable. More fields come with some codes: \`details\` with a 400, \`currentVersion\` with
\`stale_version\`, \`currentStatus\` and \`allowed\` with \`transition_not_allowed\`. For an unknown code, use the status.

${markdownTable(['Status', 'Code', 'Meaning', 'What to do'], rows)}

A request is checked in this order: credentials (401), rate limit (429), scope (403), your share of the service (413, 503), parameters and body (400), whether
the resource is yours (404), its state (409, 422).`.trim();
}

function retries(): string {
  return `
## Retries and idempotency

After a 500, a 503, a timeout or a broken connection **the outcome is unknown**: the request may have taken effect. Send it
again, exactly as it was and with the same idempotency key, until you get another response. Start with a backoff of one
second, double it up to a minute, and add jitter. Where \`retry-after\` is given, wait at least that long.

- The header \`Idempotency-Key\` (1 to ${LIMITS.idempotencyKeyLength} letters, digits, \`.\`, \`_\`, \`:\` and \`-\`) is required on the writes of
  the installer surface, and optional where its reference says so. Appointments take the field \`idempotencyKey\` of the body
  instead (${LIMITS.appointmentIdempotencyKeyLength.min} to ${LIMITS.appointmentIdempotencyKeyLength.max} characters).
- A key belongs to your company. It is bound to the method, path and body of its first use: fields may have another order,
  but the same key with another body or operation is 409 \`idempotency_mismatch\`. Every field of the body counts, unknown ones
  too, as it was sent: \`Z\` and \`+00:00\` are two spellings of one instant, and two bodies.
- Responses of 2xx, 409 \`stale_version\` and 422 are kept. A repeat gets the same response with \`idempotency-replayed: true\` and
  has no second effect. After a 400, 401, 403, 404, 413, 429 or 5xx the key is not used up.
- If a job is no longer yours, a repeat of a write to it is 404, as every read of it is. The write stays recorded.
- While the first request is still running, a second one with the key waits for it, and after 2 seconds gets 409
  \`idempotency_in_progress\`: send it again a little later.
- Keys are kept for ${LIMITS.idempotencyRetentionDays} days; \`idempotency-expires\` says until when.

Do not repeat a 400, 401, 403, 404, 405, 413 or 422 unchanged.`.trim();
}

function concurrentChanges(): string {
  return `
## Concurrent changes

A job has a \`version\` that increases by 1 with each change, yours or not. A write sends the version that you have read as
\`expectedVersion\`. If the job has changed since, the response is 409 \`stale_version\` and nothing happens: read the job again,
decide whether you still want the change, and send it with the new version and a new idempotency key. So no change
overwrites another one unseen.`.trim();
}

function changeFeed(): string {
  return `
## Following your jobs

1. Start with \`GET /partner/v1/jobs?view=snapshot&include=unassigned\`. Store each job, and read the next page with \`cursor=<nextCursor>\` while
   \`hasMore\` is true.
2. Keep the last \`nextCursor\` with your data. It leads into the change feed.
3. Once a minute at most, read the feed with that cursor and \`include=unassigned\`. Delete the jobs in \`unassigned\`, which have
   left your company. Store each job in \`resources\` whose \`version\` is higher than yours, then keep the new \`nextCursor\`. Read the next page immediately while \`hasMore\` is true.
4. Webhooks notify you of changes sooner. Keep reading the feed: it guarantees that you miss none.

Entries are numbered in the order of the changes. A job that is unassigned from your company leaves the feed with its entries, so their
numbers are missing. Without \`include=unassigned\` only the event \`install.job_unassigned\` says so. If you lose a cursor, or get
\`cursor_invalid\`, empty your copy and start again with step 1.`.trim();
}

function assistants(serverUrl: string): string {
  return `
## Assistants

An assistant uses the API as tools, over the Model Context Protocol (MCP): \`POST ${MCP_PATHS.installer}\` with a key of kind
\`installer-company\`, \`POST ${MCP_PATHS.inbound}\` with one of kind \`general\` or \`installer-contractor\`. The transport is Streamable HTTP, without sessions; the key is in the
header \`x-api-key\`. In Claude Code:

\`\`\`sh
claude mcp add --transport http partner ${serverUrl}${MCP_PATHS.installer} --header "x-api-key: $API_KEY"
\`\`\`

In clients with a JSON configuration:

\`\`\`json
{
  "mcpServers": {
    "partner": { "type": "http", "url": "${serverUrl}${MCP_PATHS.installer}", "headers": { "x-api-key": "<keyId>.<secret>" } }
  }
}
\`\`\`

Each tool is an operation of this reference, with the scope, rate limit and audit trail of the key; an assistant sees the tools that the key
may use. They read a job, the change feed, sold jobs, events and manifests. \`explain_event\` says why an event did not arrive. \`replay_events\` sends events again, and needs the
\`confirmation\` of \`preview_replay\`, which is valid for 10 minutes. No tool changes a job.

An agent that waits for events polls them with the extension Events of MCP (\`io.modelcontextprotocol/events\`), from protocol 2026-07-28 on and with the scope
\`events:read\`. \`events/list\` has the events of your company. \`events/poll\` takes one \`name\`, and in \`arguments\` the \`resourceId\` or \`fields\` to narrow it. Each event's
\`data\` is the body of its webhook. Keep the \`cursor\`, and ignore an \`eventId\` that you have stored. With \`truncated: true\` events were skipped, so read the current state with the tools. Callbacks are not offered: use webhooks.

A failed call has the body of the error. A message counts as one request. Results hold texts that others wrote, such as names and notes: let your
assistant ask you before it acts on them.`.trim();
}

function rateLimits(): string {
  const rows = SURFACES.map(({ tag, requestsPerMinute, countedBy }) => [
    tag,
    `${count(requestsPerMinute)} in any 60 seconds`,
    countedBy,
  ]);
  return `
## Rate limits

${markdownTable(['Surface', 'Requests', 'Counted by'], rows)}

In a response, \`RateLimit-Policy\` holds the limit (\`q\` requests in \`w\` seconds) and \`RateLimit\` what is left of it
(\`r\` requests fit now, more after \`t\` seconds). Over the limit the response is 429, and \`retry-after\` says after how many
seconds one more fits: wait at least that long, with jitter. Refused requests do not count. Higher limits can be granted to
installer companies that batch through cursor pagination. Requests without a valid key are limited for each client address, and never count
against a valid key of the same address; the headers then name the limit \`failed-authentication\`.`.trim();
}

function otherLimits(): string {
  return `
## Other limits

${markdownTable(
  ['What', 'Limit', 'Beyond it'],
  [
    [
      'Technicians in one response',
      count(LIMITS.techniciansPageSize.max),
      '`hasMore` is true: send `nextCursor` as `cursor` to read the next page',
    ],
    [
      'Notes of a job together',
      `${count(LIMITS.installerNoteLength)} characters`,
      '422 `note_limit_reached`. A job that gets another installer starts with none',
    ],
    [
      'Webhook subscriptions of a company',
      String(WEBHOOK_LIMITS.subscriptionsPerCompany),
      '409 `subscription_limit_reached`: delete one first',
    ],
    [
      'Secrets and API keys, new webhooks and URLs, tests, activations and replays after the login or the last confirmation',
      `${CONFIRMED_MINUTES} minutes`,
      '403 `confirmation_required`: `POST /partner-api/session/confirm`, then send it again',
    ],
    [
      'Back-fill of an activation',
      'the events since the pause, or since the creation of a subscription that was never active',
      'Earlier events: `POST /partner-api/webhooks/{id}/replay`',
    ],
    [
      'Bulk replay',
      'each event of its span once; a dead letter whose event was delivered since, or has an unfinished delivery, is skipped',
      'One that was replayed and failed again counts once more',
    ],
  ],
)}`.trim();
}

function versions(): string {
  return `
## Versions

The installer API is versioned by date; the current version is **${CURRENT_API_VERSION}**. The header \`x-svc-api-version\` of every
response, and \`apiVersion\` in bodies and webhooks, name the used version. A request may pin a version with the same header; an
unknown date is 400.

New fields, events, error codes and optional parameters come without a new version. A breaking change comes as a new date, and
the previous one keeps working for at least 90 days after the change was announced on the changelog and by email to your
technical contact, whom an owner sets at \`/console\` (\`setTechnicalContact\`). Responses of a previous version carry \`Deprecation\`, \`Sunset\` and a \`Link\` to what changed.
From the instant in \`Sunset\` on, a request that pins the version is a 400 that names the day of its end.

Webhook payloads carry \`schemaVersion\`, now ${CURRENT_SCHEMA_VERSION}. A breaking change of a payload raises it, for subscriptions that opted in.`.trim();
}

function jobStatuses(): string {
  const rows = JOB_STATUSES.map((status) => [
    code(status),
    JOB_STATUS_MOVES[status].length === 0 ? 'none' : codes(JOB_STATUS_MOVES[status]),
  ]);
  return `
## Job statuses

The moves that a status event can make. Any other one is 422 \`transition_not_allowed\`, also a move to the same status.

${markdownTable(['A job that is', 'can move to'], rows)}

A job that is \`COMPLETE\` or \`CANCELLED\` accepts no status events, schedules or assignments.
\`CANCELLED\` comes from the selling company only. \`BLOCKED\` needs a \`blockerCode\`; while a job is blocked, the code is among
\`readiness.blockerCodes\`.`.trim();
}

function scheduleStatuses(): string {
  return `
## Schedule statuses

The moves that you can submit. Any other one is 422 \`transition_not_allowed\`, and so is every move on a job that is \`COMPLETE\`
or \`CANCELLED\`.

${markdownTable(
  ['A schedule that is', 'can move to'],
  SCHEDULE_STATUSES.map((status) => [code(status), codes(SCHEDULE_STATUS_MOVES[status])]),
)}

\`TENTATIVE\` and \`CONFIRMED\` need both times, the end after the start; else 422 \`schedule_invalid\`. \`CANCELLED\` clears both.`.trim();
}

function sandbox(): string {
  return `
## Sandbox

The sandbox has invented data and its own keys (\`svc_test_\`), and behaves like production. Changes reach it at least two weeks
before production. Keys of one environment are 401 in the other.

You can inject faults there to test how your code handles them: set a fault script for one of your API keys with
\`PUT /partner-api/api-keys/{id}/faults\`.`.trim();
}
