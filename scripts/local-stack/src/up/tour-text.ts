import path from 'node:path';
import { paint, textTable } from '../terminal.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';

/** Where to begin: the address, a login and the next step. */
export function renderWelcome({ baseUrl, companies }: StackDescription, end: string): string {
  const owner = companies.find(({ class: companyClass }) => companyClass === 'INSTALLER')?.owner;
  return `Open      ${paint('green', `${baseUrl}/console`)}
Sign in   ${owner?.email ?? ''}, password ${owner?.password ?? ''}
Next      scripts/up --tour has requests to try, scripts/up --demo runs the main scenario; ${end}
`;
}

/** Every address and file that someone who tries the stack needs. */
export function renderAddresses(directory: string, { baseUrl, receiver, mail }: StackDescription): string {
  const rows = [
    ['console', `${baseUrl}/console`],
    ['API reference', `${baseUrl}/docs`],
    ['inbound API', `${baseUrl}/inbound`],
    ['installer API', `${baseUrl}/partner/v1`],
    ['keys and logins', path.join(directory, 'stack.json')],
    ['example receiver', receiver.url],
    ['what it receives', receiver.logFile],
    ...(mail === undefined ? [] : [['emails', mail.directory]]),
  ];
  return `${textTable(rows, 'left').join('\n')}\n`;
}

type KeyKind = SandboxCompany['keys'][number]['kind'];

export function renderTour(directory: string, description: StackDescription): string {
  const { baseUrl, receiver, companies, mail } = description;
  const general = keyOf(companies, 'general');
  const installer = keyOf(companies, 'installer-company');
  const owner = companies.find(({ keys }) => keys.some(({ apiKey }) => apiKey === installer))?.owner;
  const json = `-H 'content-type: application/json'`;
  const cookies = path.join(path.relative(process.cwd(), directory), 'cookies');
  const fromConsole = `-b ${cookies} -H 'origin: ${new URL(baseUrl).origin}' ${json}`;

  return `
The service is running on ${baseUrl} (sandbox). All keys and logins are in ${directory}/stack.json:
${companies.map(companyLine).join('\n')}

Read the reference of the API: ${baseUrl}/docs

Create a lead; again with 12 N. Elm St., it is merged:
  curl -i ${baseUrl}/inbound/leads -H 'x-api-key: ${general}' ${json} \\
    -d '{"fullName":"Robin Vale","email":"robin@example.com","phone":"+1 512 555 0100","address":"12 North Elm Street, Austin, TX 78701"}'

Follow an installer's change feed:
  curl -s '${baseUrl}/partner/v1/jobs?limit=2' -H 'x-api-key: ${installer}'

Sign in as that installer's owner (${owner?.email ?? ''}), and subscribe the example receiver:
  curl -i ${baseUrl}/partner-api/session -c ${cookies} -H 'origin: ${new URL(baseUrl).origin}' ${json} \\
    -d '${JSON.stringify(owner ?? {})}'
  curl -s ${baseUrl}/partner-api/webhooks ${fromConsole} -d '{"url":"${receiver.url}/tour","events":["install.*"]}'
Give the receiver the secret of the response, then test and activate the subscription by its id:
  curl -s --cacert ${receiver.caFile} ${receiver.controlUrl} -d '{"version":1,"path":"/tour","secret":"whsec_..."}'
  curl -s ${baseUrl}/partner-api/webhooks/whk_.../test ${fromConsole} -d '{}'
  curl -s ${baseUrl}/partner-api/webhooks/whk_.../activate ${fromConsole} -d '{}'
A path such as /fail/503/2 makes the receiver return 503 for the first two attempts of each event.

See what the receiver receives, verified or not:
  tail -F ${receiver.logFile}
${
  mail === undefined
    ? ''
    : `
Follow the links of emails, e.g. of a forgotten password: nothing is delivered, each message is a file in ${mail.directory}
  tail -F ${mail.logFile}
`
}`;
}

function companyLine({ name, class: companyClass, owner, keys }: SandboxCompany): string {
  const lines = keys.map(({ kind, apiKey }) => `      ${kind.padEnd(20)} ${apiKey}`);
  return [`  ${name} (${companyClass}), owner ${owner.email} / ${owner.password}`, ...lines].join('\n');
}

function keyOf(companies: readonly SandboxCompany[], kind: KeyKind): string {
  return companies.flatMap(({ keys }) => keys).find((key) => key.kind === kind)?.apiKey ?? `<${kind} key>`;
}
