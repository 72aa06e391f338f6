import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { installerPage } from '@partner/proto-contracts/resources/installer/installer';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from './browser/open-browser.js';
import { signIn as signInAt } from './browser/sign-in.js';
import { checkLooks } from './browser/check-looks.js';
import { type PageWatch, watch } from './browser/watch.js';
import { createActiveSubscription, type OwnerSession, signIn } from './support/owner-session.js';
import {
  type ConsoleRequest,
  consoleRequests,
  type ConsoleSide,
  createConsoleSide,
  expireSession,
  readEverything,
  readSessionIds,
} from './surfaces/console-side.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** Within which a revoked key is taken nowhere any more (spec: Authentication). */
const REVOKED_WITHIN_MS = 5_000;

/** Time limit of a test in which axe inspects many pages. */
const PATIENCE_MS = 600_000;

let stack: TestStack;
let browser: TestBrowser;
let seller: SandboxCompany;
let installer: SandboxCompany;

const first = (companyClass: SandboxCompany['class'], place = 0): SandboxCompany => {
  const company = stack.companies(companyClass)[place];
  if (company === undefined) throw new Error(`the sandbox has too few companies of class ${companyClass}`);
  return company;
};

beforeAll(async () => {
  stack = await startTestStack({});
  browser = await openBrowser(stack.baseUrl);
  seller = first('SALES');
  installer = first('INSTALLER');
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** Does something as a person who has signed in, and expects that nothing went wrong in the page unseen. */
async function asOwner(
  company: SandboxCompany,
  path: string,
  work: (page: Page, watched: PageWatch) => Promise<void>,
): Promise<void> {
  const page = await browser.newPage();
  const watched = watch(page);
  // What a browser asks before anybody has signed in.
  watched.allow(/^401 GET \/partner-api\/session$/);
  await signInAt(page, company.owner, path);
  await work(page, watched);
  watched.expectNoFaults();
  await page.context().close();
}

/**
 * Has a list answered as if there were nothing, or as if job-state were away. The looks of an error are checked on the
 * overview: all pages share that part.
 */
async function showEmptyAndFailed(
  page: Page,
  watched: PageWatch,
  path: string,
  options: { readonly empty?: unknown; readonly failed: RegExp },
): Promise<void> {
  const { empty, failed } = options;
  const url = new RegExp(`/partner-api/${path}(\\?|$)`);
  if (empty !== undefined) {
    await page.route(url, (route) => route.fulfill({ json: empty }));
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await checkLooks(page, `${path}-empty`);
    await page.unroute(url);
  }
  const requestId = '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5';
  watched.allow(new RegExp(`^503 GET /partner-api/${path}`));
  await page.route(url, (route) =>
    route.fulfill({
      status: 503,
      json: { error: 'the service does not answer in time; try again', code: 'unavailable', requestId },
    }),
  );
  await page.reload();
  await page.getByText(failed).waitFor();
  await page.getByText(requestId).waitFor();
  await page.unroute(url);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText(failed).waitFor({ state: 'detached' });
}

const textOf = async (page: Page, label: string) =>
  (await page.getByRole('region', { name: label, exact: true }).textContent()) ?? '';

const statusOf = async (path: string, apiKey: string) =>
  (await sendCall(stack.baseUrl, path, { headers: { 'x-api-key': apiKey } })).status;

describe('the event catalogue', () => {
  test(
    'shows an owner what their company may have, and finds events by name, meaning and field',
    async () => {
      await asOwner(installer, '/console', async (page) => {
        await page.getByRole('link', { name: 'Event catalogue' }).click();
        await page.getByRole('heading', { level: 1, name: 'Event catalogue' }).waitFor();
        await page.getByRole('article', { name: 'install.job_assigned' }).waitFor();
        expect(await page.getByRole('article', { name: 'quote.sent' }).count()).toBe(0);
        await checkLooks(page, 'catalogue');

        await page.getByText('All events', { exact: true }).click();
        const notOurs = page.getByRole('article', { name: 'quote.sent' });
        await notOurs.getByText('Not available to your company').waitFor();
        await page.getByLabel('Search').fill('blockercodes');
        await page.getByRole('status').getByText('1 event', { exact: true }).waitFor();
        await page.getByRole('article', { name: 'install.readiness_changed' }).waitFor();
        await page.getByLabel('Search').fill('nothing like this');
        await page.getByRole('heading', { name: 'No event found' }).waitFor();
        await checkLooks(page, 'catalogue-none');
      });
    },
    PATIENCE_MS,
  );

  test(
    'leads to one event by its link, with its fields and an example',
    async () => {
      await asOwner(installer, '/console/catalogue', async (page) => {
        await page.goto('/console/catalogue?search=schedule#install.schedule_changed');
        const event = page.getByRole('article', { name: 'install.schedule_changed' });
        const row = event.getByRole('row', { name: /data\.schedule\.startsAt/ });
        await row.getByText('date and time, or null').waitFor();
        expect(await textOf(page, 'Example of install.schedule_changed')).toContain('"changedBy": "seller"');
        await eventually('the event at the top', async () => {
          const box = await event.boundingBox();
          return box !== null && box.y < 200;
        });
        await checkLooks(page, 'catalogue-event');
        // A link to what is for others leads there all the same.
        await page.goto('/console/catalogue#quote.sent');
        await page
          .getByRole('article', { name: 'quote.sent' })
          .getByText('Not available to your company')
          .waitFor();
      });
    },
    PATIENCE_MS,
  );

  test(
    'that can not be loaded says so, and is loaded when one tries again',
    async () => {
      await asOwner(installer, '/console/catalogue', async (page, watched) => {
        await showEmptyAndFailed(page, watched, 'webhook-events', {
          failed: /Could not load the event catalogue/,
        });
        const events = page.getByRole('article');
        await events.nth(5).waitFor();
        expect(await events.count()).toBeGreaterThan(5);
      });
    },
    PATIENCE_MS,
  );
});

describe('the receiver code', () => {
  test(
    'is there for every language, is copied as it stands, and comes back in the language that was chosen',
    async () => {
      await asOwner(installer, '/console/receiver-code', async (page) => {
        const tabs = await page.getByRole('tab').allTextContents();
        expect(tabs).toEqual(['Node', 'Python', 'Go', 'PHP', 'Ruby', 'C#', 'Java']);
        for (const name of tabs) {
          await page.getByRole('tab', { name, exact: true }).click();
          expect(await textOf(page, 'Receiver with the library')).toContain('WEBHOOK_SECRET_1');
        }
        await checkLooks(page, 'receiver-code');
        await page.getByRole('tab', { name: 'Python' }).click();
        await page.getByRole('button', { name: 'Copy receiver by hand' }).click();
        const copied = await page.evaluate('navigator.clipboard.readText()');
        expect(copied).toBe(await textOf(page, 'Receiver by hand'));
        expect(copied).toContain('hmac.compare_digest');
        await page.reload();
        await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
      });
    },
    PATIENCE_MS,
  );
});

/** Takes the key that is shown once, says that it is stored and closes. */
async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new API key' });
  const apiKey = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? '';
  expect(await textOf(page, 'Command')).toContain(apiKey);
  await page.keyboard.press('Escape');
  expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(apiKey);
  return apiKey;
}

async function expectRevoked(path: string, apiKey: string): Promise<void> {
  const revokedAt = performance.now();
  let acceptedAt = revokedAt;
  await eventually('401 for the revoked key', async () => {
    const sentAt = performance.now();
    if ((await statusOf(path, apiKey)) === 401) return true;
    acceptedAt = sentAt;
    return false;
  });
  expect(acceptedAt - revokedAt).toBeLessThan(REVOKED_WITHIN_MS);
}

describe('API keys', () => {
  test(
    'a key for one installer is made, opens the API, is rotated with an overlap and revoked for good',
    async () => {
      const owner = await signIn(stack.baseUrl, seller.owner);
      const list = await owner.call('GET', '/partner-api/installers');
      const [bindable] = installerPage.parse(list.json).installers;
      if (bindable === undefined) throw new Error('no installer company works for the seller');
      await asOwner(seller, '/console/api-keys', async (page, watched) => {
        await page.getByRole('button', { name: 'Create an API key' }).click();
        const dialog = page.getByRole('dialog', { name: 'Create an API key' });
        await checkLooks(page, 'api-keys-create');
        await dialog.getByLabel('Jobs of one installer').check();
        await dialog.getByLabel('Installer company').selectOption({ label: bindable.name });
        await dialog.getByLabel('Description').fill('Dispatch board');
        await dialog.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
        await checkLooks(page, 'api-keys-created');
        const apiKey = await takeKey(page);
        const path = '/inbound/jobs?take=1';
        expect(await statusOf(path, apiKey)).toBe(200);

        const row = page.getByRole('row', { name: /Dispatch board/ });
        await row.getByText('Active', { exact: true }).waitFor();
        await row.getByText(`Jobs of ${bindable.name}: may read jobs, report job status`).waitFor();
        await row.getByRole('button', { name: /^Rotate/ }).click();
        const rotation = page.getByRole('dialog', { name: 'Rotate Dispatch board' });
        await rotation.getByLabel('Overlap').selectOption('72');
        await checkLooks(page, 'api-keys-rotate');
        await rotation.getByRole('button', { name: 'Rotate key' }).click();
        await page.getByText(/The old key, ending in .{4}, ends in 2 days/).waitFor();
        const next = await takeKey(page);
        expect(next).not.toBe(apiKey);
        expect(await Promise.all([apiKey, next].map((key) => statusOf(path, key)))).toEqual([200, 200]);
        await row.getByText('Expiring', { exact: true }).waitFor();
        await checkLooks(page, 'api-keys');

        await row.getByRole('button', { name: `Revoke Dispatch board, ending in ${next.slice(-4)}` }).click();
        const revocation = page.getByRole('dialog', { name: 'Revoke Dispatch board?' });
        const revoke = revocation.getByRole('button', { name: 'Revoke key' });
        await revocation.getByRole('textbox').fill('nope');
        expect(await revoke.isDisabled()).toBe(true);
        await revocation.getByRole('textbox').fill(next.slice(-4));
        await checkLooks(page, 'api-keys-revoke');
        await revoke.click();
        await row.getByText('Revoked', { exact: true }).waitFor();
        await expectRevoked(path, next);
        expect(await statusOf(path, apiKey)).toBe(200);

        await showEmptyAndFailed(page, watched, 'api-keys', {
          empty: { keys: [], nextCursor: null },
          failed: /Could not load your API keys/,
        });
      });
    },
    PATIENCE_MS,
  );

  test.each([
    { of: 'SALES', kind: 'Leads and appointments', path: '/inbound/leads', taken: 400 },
    { of: 'INSTALLER', kind: 'Your jobs', path: '/partner/v1/technicians', taken: 200 },
  ] as const)(
    'the command that tries a key of $of works as the page says',
    async ({ of, kind, path, taken }) => {
      await asOwner(first(of), '/console/api-keys', async (page) => {
        await page.getByRole('button', { name: 'Create an API key' }).click();
        const dialog = page.getByRole('dialog', { name: 'Create an API key' });
        await dialog.getByLabel(kind).check();
        await dialog.getByRole('button', { name: 'Create key' }).click();
        await page.getByText(`Expect ${taken}`).waitFor();
        const command = await textOf(page, 'Command');
        const apiKey = await takeKey(page);
        expect(command).toContain(`'${stack.baseUrl.replace(/\/$/, '')}${path}'`);
        const answer = await fetch(new URL(path, stack.baseUrl), {
          method: command.includes('-X POST') ? 'POST' : 'GET',
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
          ...(command.includes("-d '{}'") ? { body: '{}' } : {}),
        });
        expect(answer.status).toBe(taken);
      });
    },
  );

  test(
    'a company of accounting is told that it has none',
    async () => {
      await asOwner(first('ACCOUNTING'), '/console/api-keys', async (page) => {
        await page.getByText('Your company cannot have API keys').waitFor();
        expect(await page.getByRole('button', { name: 'Create an API key' }).count()).toBe(0);
        await checkLooks(page, 'api-keys-accounting');
      });
    },
    PATIENCE_MS,
  );
});

describe('the audit trail', () => {
  test(
    'tells who did what, from where, and is filtered and loaded page by page',
    async () => {
      const company = first('INSTALLER', 1);
      const owner = await signIn(stack.baseUrl, company.owner);
      const webhook = await createActiveSubscription(owner, {
        url: stack.receiverUrl,
        events: ['install.test'],
      });
      await owner.call('PATCH', `/partner-api/webhooks/${webhook.id}`, { description: 'Dispatch board' });
      for (let made = 0; made < 30; made += 1) {
        const created = await owner.call('POST', '/partner-api/api-keys', { kind: 'installer-company' });
        const { key } = apiKeyCreated.parse(created.json);
        await owner.call('DELETE', `/partner-api/api-keys/${key.id}`);
      }
      await asOwner(company, '/console/audit', async (page, watched) => {
        const row = (name: string | RegExp) => page.getByRole('row', { name }).first();
        await row(/Revoked the API key ending in/).waitFor();
        await row(/^Signed in/)
          .getByText('Chrome on Linux')
          .waitFor();
        await page.getByText('50 entries shown').waitFor();
        await page.getByRole('button', { name: 'Load more' }).click();
        await page.getByText(/^All \d+ entries shown$/).waitFor();
        await row(/Changed the description of the webhook Dispatch board/).waitFor();

        await page.getByLabel('Show', { exact: true }).selectOption('Webhook changed');
        await page.getByText('All shown').waitFor();
        await row(/Changed the description/)
          .getByText('Details')
          .click();
        await page.getByText(webhook.id).waitFor();
        await checkLooks(page, 'audit-details');
        await page.getByRole('link', { name: 'View subject' }).click();
        await page.waitForURL(`**/console/webhooks/${webhook.id}`);
        await page.goto('/console/audit?action=bulk_replay.started');
        await page.getByRole('heading', { name: 'No entries' }).waitFor();
        await page.getByLabel('Show', { exact: true }).selectOption('All actions');
        await row(/^Signed in/).waitFor();
        await checkLooks(page, 'audit');
        await showEmptyAndFailed(page, watched, 'audit-entries', {
          empty: { entries: [], nextCursor: null },
          failed: /Could not load the audit trail/,
        });
      });
      const trail = await owner.call('GET', '/partner-api/audit-entries?action=api_key.created&limit=100');
      expect(auditPage.parse(trail.json).entries).toHaveLength(30);
    },
    PATIENCE_MS,
  );
});

describe('sessions', () => {
  test(
    'an owner sees where they are signed in, ends one session and then all others, which are really out',
    async () => {
      const company = first('SALES', 1);
      const forgotten = await browser.newPage();
      const seen = watch(forgotten);
      seen.allow(/^401 (GET|POST) \/partner-api\//);
      await signInAt(forgotten, company.owner);
      const others: OwnerSession[] = [];
      const read = (session: OwnerSession) => session.call('GET', '/partner-api/webhooks');

      await asOwner(company, '/console/sessions', async (page, watched) => {
        const rows = page.getByRole('rowheader');
        await page
          .getByRole('row', { name: /This session/ })
          .getByText('127.0.0.1')
          .waitFor();
        expect(await rows.count()).toBe(2);
        await checkLooks(page, 'sessions');
        await page.getByRole('button', { name: /^End the session of Chrome on Linux/ }).click();
        await page.getByText('This is your only session').waitFor();
        // Whoever used it is out at the next thing that they do.
        await forgotten.getByRole('link', { name: 'API keys' }).click();
        await forgotten.getByRole('button', { name: 'Sign in' }).waitFor();

        for (let number = 0; number < 3; number += 1) others.push(await signIn(stack.baseUrl, company.owner));
        await page.reload();
        await page.getByRole('button', { name: 'End all other sessions' }).click();
        const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
        await dialog.getByText('3 sessions end immediately.').waitFor();
        await checkLooks(page, 'sessions-end-all');
        await dialog.getByRole('button', { name: 'End sessions' }).click();
        await page.getByText('This is your only session').waitFor();
        expect((await Promise.all(others.map(read))).map(({ status }) => status)).toEqual([401, 401, 401]);
        await showEmptyAndFailed(page, watched, 'sessions', {
          failed: /Could not load your sessions/,
        });
      });
      seen.expectNoFaults();
      await forgotten.context().close();
    },
    PATIENCE_MS,
  );
});

describe('no operation of the console', () => {
  const WITH_SESSION = CONSOLE_OPERATIONS.filter(({ unauthenticated }) => unauthenticated !== true);
  const ON_ONE = CONSOLE_OPERATIONS.filter(({ path }) => path.includes(':id'));
  const WRITES = CONSOLE_OPERATIONS.filter(({ method }) => method !== 'get');
  const READS = CONSOLE_OPERATIONS.filter(({ method }) => method === 'get');

  let own: ConsoleSide;
  let other: ConsoleSide;
  let ownOrigin: string;

  beforeAll(async () => {
    own = await createConsoleSide(stack, first('INSTALLER', 0));
    other = await createConsoleSide(stack, first('INSTALLER', 1));
    ownOrigin = new URL(stack.baseUrl).origin;
  });

  /** Sends a request with these headers and nothing else; of a stream only the head is read. */
  async function sendTo(
    { method, path, body }: ConsoleRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly code: unknown;
    readonly text: string;
    readonly headers: Headers;
  }> {
    const response = await fetch(new URL(path, stack.baseUrl), {
      method,
      headers: { ...(method === 'GET' ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    return {
      status: response.status,
      code: /"code":"(\w+)"/.exec(text)?.[1],
      text,
      headers: response.headers,
    };
  }

  /** A session of its own, by its cookie. */
  async function newCookie(side: ConsoleSide): Promise<string> {
    const [request] = CONSOLE_OPERATIONS.filter(({ id }) => id === 'createSession').flatMap((operation) =>
      consoleRequests(operation, side),
    );
    if (request === undefined) throw new Error('there is no operation that signs in');
    const { headers } = await sendTo(request, { origin: ownOrigin });
    return headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  /** Tries requests, and expects of each the same refusal, and of all of them no effect. */
  async function expectRefused(
    requests: readonly ConsoleRequest[],
    headers: Readonly<Record<string, string>>,
    refusal: { readonly status: number; readonly code: string },
  ): Promise<void> {
    const readState = async () => ({
      everything: await readEverything(stack.database),
      sessions: [await readSessionIds(own.session), await readSessionIds(other.session)],
    });
    const before = await readState();
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) {
      const { status, code, text, headers: answered } = await sendTo(request, headers);
      expect([request.method, request.path, status, code]).toEqual([
        request.method,
        request.path,
        refusal.status,
        refusal.code,
      ]);
      // Nothing of anybody: neither ids nor names, and no session.
      expect(text).not.toMatch(/(whk|dlv|evt|rpl|key|ses|aud|cmp|mem)_[0-9a-z]{26}|whsec_|svc_live_/);
      expect(answered.getSetCookie()).toEqual([]);
    }
    expect(await readState()).toEqual(before);
  }

  const requestsOf = (operations: typeof CONSOLE_OPERATIONS, side: ConsoleSide) =>
    operations.flatMap((operation) => consoleRequests(operation, side));

  test('gives or changes what belongs to another company', async () => {
    const cookie = await newCookie(own);
    await expectRefused(
      requestsOf(ON_ONE, other),
      { cookie, origin: ownOrigin },
      { status: 404, code: 'not_found' },
    );
    const ids = [...Object.values(other.ids), other.company.id];
    for (const request of requestsOf(
      READS.filter((read) => !ON_ONE.includes(read)),
      own,
    )) {
      const { status, text } = await sendTo(request, { cookie });
      expect([request.path, status, ids.filter((id) => text.includes(id))]).toEqual([request.path, 200, []]);
    }
  });

  test('lets a technician in', async () => {
    const email = `${newId('mem')}@technicians.example`;
    await stack.database.query(
      `insert into memberships (id, company_id, role, display_name, email, password_hash)
       select $1, company_id, 'TECHNICIAN', 'Tess Technician', $2, password_hash from memberships
       where company_id = $3 and role = 'OWNER' and password_hash is not null limit 1`,
      [newId('mem'), email, own.company.id],
    );
    const { password } = own.company.owner;
    const login = { method: 'POST', path: '/partner-api/session', body: { email, password } };
    await expectRefused([login], { origin: ownOrigin }, { status: 403, code: 'permission_denied' });
  });

  test('takes an API key for a session', async () => {
    const headers = { 'x-api-key': own.apiKey, authorization: `Bearer ${own.apiKey}`, origin: ownOrigin };
    const refusal = { status: 401, code: 'unauthenticated' };
    await expectRefused(requestsOf(WITH_SESSION, own), headers, refusal);
    const name = (await newCookie(own)).split('=')[0] ?? '';
    const asCookie = { cookie: `${name}=${own.apiKey}`, origin: ownOrigin };
    await expectRefused(requestsOf(WITH_SESSION, own), asCookie, refusal);
  });

  test('works without a session', async () => {
    const refusal = { status: 401, code: 'unauthenticated' };
    await expectRefused(requestsOf(WITH_SESSION, own), { origin: ownOrigin }, refusal);
  });

  test('works with a session whose time is over', async () => {
    const cookie = await newCookie(own);
    await expireSession(stack.stack.description.redisUrl, cookie);
    const refusal = { status: 401, code: 'unauthenticated' };
    await expectRefused(requestsOf(WITH_SESSION, own), { cookie, origin: ownOrigin }, refusal);
  });

  test.each([
    ['the page of another site', { origin: 'https://elsewhere.example' }],
    ['a page that hides where it comes from', { origin: 'null' }],
    ['no page at all', {}],
  ])('changes something for %s', async (_, headers) => {
    const cookie = await newCookie(own);
    const refusal = { status: 403, code: 'permission_denied' };
    await expectRefused(requestsOf(WRITES, own), { cookie, ...headers }, refusal);
  });

  test('lets the page of another site read its answer', async () => {
    const cookie = await newCookie(own);
    for (const request of requestsOf(READS, own)) {
      const { headers } = await sendTo(request, { cookie, origin: 'https://elsewhere.example' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      const asked = await sendTo(
        { ...request, method: 'OPTIONS' },
        { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
      );
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('does a request again that was good before its session signed out', async () => {
    const cookie = await newCookie(own);
    const headers = { cookie, origin: ownOrigin };
    const good = { method: 'GET', path: '/partner-api/session', body: undefined };
    expect((await sendTo(good, headers)).status).toBe(200);
    const out = await sendTo({ method: 'DELETE', path: '/partner-api/session', body: {} }, headers);
    expect(out.status).toBe(204);
    const refusal = { status: 401, code: 'unauthenticated' };
    await expectRefused(requestsOf(WITH_SESSION, own), headers, refusal);
  });
});
