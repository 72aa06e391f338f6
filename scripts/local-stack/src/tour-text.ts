import path from 'node:path';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { sendCall } from '@partner/test-kit/http-call';
import type { SandboxCompany, StackDescription } from './stack/stack-description.js';

type KeyKind = SandboxCompany['keys'][number]['kind'];

export async function renderTour(directory: string, description: StackDescription): Promise<string> {
  const { baseUrl, receiver, companies, mail } = description;
  const general = keyOf(companies, 'general');
  const installer = keyOf(companies, 'installer-company');
  const owner = companies.find(({ keys }) => keys.some(({ apiKey }) => apiKey === installer))?.owner;
  const job = await reportableJob(baseUrl, installer);
  const json = `-H 'content-type: application/json'`;
  const cookies = path.join(path.relative(process.cwd(), directory), 'cookies');
  const fromConsole = `-b ${cookies} -H 'origin: ${new URL(baseUrl).origin}' ${json}`;

  return `
The service is running on ${baseUrl} (sandbox). All keys and logins are in ${directory}/stack.json:
${companies.map(companyLine).join('\n')}

Open the owners' console in a browser: ${baseUrl}/console
Read the reference of the API: ${baseUrl}/docs

Create a lead; again with 12 N. Elm St., it is merged:
  curl -i ${baseUrl}/inbound/leads -H 'x-api-key: ${general}' ${json} \\
    -d '{"fullName":"Robin Vale","email":"robin@example.com","phone":"+1 512 555 0100","address":"12 North Elm Street, Austin, TX 78701"}'

Follow an installer's change feed, and read a job:
  curl -s '${baseUrl}/partner/v1/jobs?limit=2' -H 'x-api-key: ${installer}'
  curl -s ${baseUrl}/partner/v1/jobs/${job.id} -H 'x-api-key: ${installer}'

Report a status (spec: expectedVersion is the version that you have read):
  curl -i ${baseUrl}/partner/v1/jobs/${job.id}/status-events -H 'x-api-key: ${installer}' ${json} \\
    -H "idempotency-key: tour-$(date +%s)" \\
    -d "{\\"status\\":\\"${job.next}\\",\\"occurredAt\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"expectedVersion\\":${job.version}}"

Sign in as that installer's owner (${owner?.email ?? ''}), and subscribe the example receiver:
  curl -i ${baseUrl}/partner-api/session -c ${cookies} -H 'origin: ${new URL(baseUrl).origin}' ${json} \\
    -d '${JSON.stringify(owner ?? {})}'
  curl -s ${baseUrl}/partner-api/webhooks ${fromConsole} -d '{"url":"${receiver.url}/tour","events":["install.*"]}'
Give the receiver the secret of the response, then test and activate the subscription by its id:
  curl -s --cacert ${receiver.caFile} ${receiver.controlUrl} -d '{"version":1,"path":"/tour","secret":"whsec_..."}'
  curl -s ${baseUrl}/partner-api/webhooks/whk_.../test ${fromConsole} -d '{}'
  curl -s ${baseUrl}/partner-api/webhooks/whk_.../activate ${fromConsole} -d '{}'
A path such as /fail/503/2 makes the receiver return 503 for the first two attempts of each event.

See what the receiver gets, verified or not:
  tail -F ${receiver.logFile}
${
  mail === undefined
    ? ''
    : `
Follow the links of emails, e.g. of a forgotten password: nothing is delivered, each message is a file in ${mail.directory}
  tail -F ${mail.logFile}
`
}
Watch the whole job, step by step:  scripts/up --demo
`;
}

function companyLine({ name, class: companyClass, owner, keys }: SandboxCompany): string {
  const lines = keys.map(({ kind, apiKey }) => `      ${kind.padEnd(20)} ${apiKey}`);
  return [`  ${name} (${companyClass}), owner ${owner.email} / ${owner.password}`, ...lines].join('\n');
}

function keyOf(companies: readonly SandboxCompany[], kind: KeyKind): string {
  return companies.flatMap(({ keys }) => keys).find((key) => key.kind === kind)?.apiKey ?? `<${kind} key>`;
}

async function reportableJob(
  baseUrl: string,
  apiKey: string,
): Promise<{ readonly id: string; readonly version: number | string; readonly next: string }> {
  const next = { ASSIGNED: 'ACKNOWLEDGED', ACKNOWLEDGED: 'EN_ROUTE', EN_ROUTE: 'ON_SITE' } as const;
  const { json } = await sendCall(baseUrl, '/partner/v1/jobs?limit=100', {
    headers: { 'x-api-key': apiKey },
  });
  const page = jobFeedResponse.safeParse(json);
  const newest = new Map((page.data?.resources ?? []).map(({ resource }) => [resource.id, resource]));
  for (const { id, version, status } of newest.values()) {
    if (status === 'ASSIGNED' || status === 'ACKNOWLEDGED' || status === 'EN_ROUTE') {
      return { id, version, next: next[status] };
    }
  }
  return { id: '<job id>', version: '<version>', next: 'ACKNOWLEDGED' };
}
