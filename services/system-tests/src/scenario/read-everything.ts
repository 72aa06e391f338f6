import { apiKeyPage } from '@partner/proto-contracts/resources/api-key/api-key';
import { bulkReplay } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventPage } from '@partner/proto-contracts/resources/event/event';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { sessionList } from '@partner/proto-contracts/resources/session/session';
import { deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { sendCall } from '@partner/test-kit/http-call';
import type { ScenarioSide } from './drive-side.js';
import { expectStatus } from '../support/http-call.js';
import type { ScenarioDeps, ScenarioCompany } from './company.js';

/** What a company has, by what stands before `:id` in the paths of the console's API. */
type ConsoleIds = Readonly<Record<string, readonly string[]>>;

const companiesOf = ({ seller, installer, accountant }: ScenarioSide) => [seller, installer, accountant];

/** Operations of the owners' API that respond to a request, but for those that would end the session or the subscription. */
const CONSOLE = CONSOLE_OPERATIONS.filter(
  ({ id, path }) => !['streamChanges', 'deleteSession'].includes(id) && path.startsWith('/partner-api/'),
);

const resourceOf = ({ path }: AnyOperation): string => /^\/partner-api\/([a-z-]+)/.exec(path)?.[1] ?? '';

const pathOf = (operation: AnyOperation, id: string): string =>
  operation.path.replace('/partner-api', '').replace(':id', id);

/** Reads everything as each company that may, and sends each request without credentials. */
export async function readEverything(deps: ScenarioDeps, sides: readonly ScenarioSide[]): Promise<void> {
  const companies = sides.flatMap(companiesOf);
  for (const company of companies) await replay(company);
  await deps.stack.deliveriesAreFinished();
  for (const company of companies) {
    const ids = await idsOf(company);
    for (const operation of CONSOLE.filter(({ method }) => method === 'get')) {
      const own = operation.path.includes(':id') ? (ids[resourceOf(operation)] ?? []) : [''];
      for (const id of own) await company.console('GET', pathOf(operation, id));
    }
    await company.receiveChange(() => company.console('POST', `/webhooks/${company.subscriptionId}/test`));
  }
  for (const side of sides) await readSurfaces(deps, side);
  await sendUnauthenticated(deps);
  await deps.stack.deliveriesAreFinished();
}

async function replay(company: ScenarioCompany): Promise<void> {
  const page = await company.console('GET', `/webhooks/${company.subscriptionId}/deliveries?limit=100`);
  const delivered = deliveryPage
    .parse(page.json)
    .deliveries.find(({ state, event }) => state === 'delivered' && event !== 'install.test');
  await expectStatus(202, company.console('POST', `/deliveries/${delivered?.id ?? ''}/replay`));
  const asked = await expectStatus(
    202,
    company.console('POST', `/webhooks/${company.subscriptionId}/replay`, {
      states: ['delivered'],
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date().toISOString(),
      perMinute: 60_000,
    }),
  );
  bulkReplay.parse(asked.json);
}

async function idsOf({ console, subscriptionId }: ScenarioCompany): Promise<ConsoleIds> {
  const read = async (path: string): Promise<unknown> => (await console('GET', path)).json;
  const deliveries = deliveryPage.parse(await read(`/webhooks/${subscriptionId}/deliveries?limit=100`));
  const events = eventPage.parse(await read('/events?limit=100'));
  const { keys } = apiKeyPage.parse(await read('/api-keys'));
  const { sessions } = sessionList.parse(await read('/sessions'));
  return {
    webhooks: [subscriptionId],
    deliveries: deliveries.deliveries.map(({ id }) => id),
    events: events.events.map(({ id }) => id),
    'api-keys': keys.map(({ id }) => id),
    sessions: sessions.map(({ id }) => id),
  };
}

async function readSurfaces({ recorder }: ScenarioDeps, side: ScenarioSide): Promise<void> {
  const asInstaller = (path: string) =>
    recorder.call(`api of ${side.installer.who}`, `/partner/v1${path}`, {
      headers: { 'x-api-key': side.keys.installer },
    });
  await asInstaller('/technicians');
  await asInstaller(`/jobs/${side.jobId}`);
  const include = 'include=unassigned';
  for (const query of ['limit=100', 'from=start&limit=3', `from=start&${include}`, 'view=snapshot&limit=1']) {
    let response = await expectStatus(200, asInstaller(`/jobs?${query}`));
    let page = jobFeedResponse.parse(response.json);
    while (page.hasMore) {
      const next = `/jobs?limit=3&${include}&cursor=${page.nextCursor ?? ''}`;
      response = await expectStatus(200, asInstaller(next));
      page = jobFeedResponse.parse(response.json);
    }
  }
  await recorder.call(`api of ${side.seller.who}`, '/inbound/jobs?take=200', {
    headers: { 'x-api-key': side.keys.contractor },
  });
  // Whatever the webhooks of a company may have, and nothing else.
  await recorder.call(`webhooks of ${side.installer.who}`, '/partner/v1/events?limit=100', {
    headers: { 'x-api-key': side.keys.installer },
  });
  await recorder.call(`webhooks of ${side.seller.who}`, '/inbound/events?limit=100', {
    headers: { 'x-api-key': side.keys.general },
  });
}

/** Sends requests without credentials or with unknown ones, and with words in unexpected places. */
async function sendUnauthenticated({ stack, canaries, recorder }: ScenarioDeps): Promise<void> {
  const word = (what: string) => canaries.word(what, 'requests');
  const requests: readonly { readonly path: string; readonly headers?: Record<string, string> }[] = [
    { path: '/openapi.json' },
    { path: '/docs' },
    { path: '/console' },
    { path: `/inbound/${word('unknown path')}` },
    { path: `/partner/v1/jobs/${word('id of no job')}` },
    { path: `/partner/v1/jobs?cursor=${word('made up cursor')}` },
    { path: '/partner/v1/jobs', headers: { 'x-api-key': word('malformed key') } },
    { path: '/inbound/jobs', headers: { authorization: `Bearer ${word('bearer token')}` } },
    { path: '/partner-api/session', headers: { cookie: `__Host-svc_session=${word('made up session')}` } },
    { path: `/partner-api/events?cursor=${word('cursor at the console')}` },
  ];
  for (const { path, headers = {} } of requests) {
    recorder.keep('requests', path, `${path}\n${JSON.stringify(headers)}`);
    const response = await sendCall(stack.baseUrl, path, { headers });
    recorder.keep(
      'unauthenticated',
      `GET ${path} ${response.status}`,
      `${JSON.stringify([...response.headers])}\n${response.text}`,
    );
  }
}
