import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { connectAudit } from '@partner/job-state/testing/public-clients';
import { createTestDatabase, type TestDatabase } from '@partner/job-state/testing/test-database';
import type { AnyOperation, BodyExample } from '@partner/proto-contracts/api/operation';
import type { AuditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { createMailer } from '@partner/kernel/mail/mail';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import type supertest from 'supertest';
import { startTestConsole, type TestConsole } from './start-test-console.js';
import { createTestJobState, type TestJobState } from './test-job-state.js';

export const SESSION = '/partner-api/session';
export const WEBHOOKS = '/partner-api/webhooks';
export const EVENTS = '/partner-api/webhook-events';
export const newWebhook = {
  url: 'https://receiver.example/hook',
  events: ['install.*'],
  description: 'Main',
};

/** The console of the test that runs. */
export let site: TestConsole;
/** The companies and people of that console. */
export let ids: TestJobState['ids'];
let started: { stop(): Promise<void> }[] = [];
let jobState: TestJobState;
let testDatabase: TestDatabase;

/** Starts a console beside the first one, on the same job-state. */
export async function startSite(
  options: Partial<Parameters<typeof startTestConsole>[0]> = {},
): Promise<TestConsole> {
  const site = await startTestConsole({ redisUrl: testRedisUrl(), jobState, ...options });
  started.push(site);
  return site;
}

/** Starts a console beside the first one that sends its emails to a mail server of the test. */
export async function startSiteWithMail(): Promise<{
  readonly site: TestConsole;
  readonly mail: MailServer;
}> {
  const mail = await startMailServer();
  const mailer = createMailer({ SMTP_URL: mail.url, MAIL_FROM: 'partner-api@service.example' });
  const site = await startSite({ mailer });
  started.push(mail);
  return { mail, site };
}

/** Returns a cookie that a response sets, for a later request; absent: that of the session. */
export function cookieOf(response: { get(name: string): unknown }, place = 0): string {
  const cookie = [response.get('set-cookie')].flat()[place];
  return typeof cookie === 'string' ? (cookie.split(';', 1)[0] ?? '') : '';
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

beforeEach(async () => {
  jobState = await createTestJobState(testDatabase.database);
  ids = jobState.ids;
  site = await startSite();
});

afterEach(async () => {
  await Promise.all(started.map((each) => each.stop()));
  started = [];
});

afterAll(() => testDatabase.drop());

export async function trailOf(companyId: string, action?: string): Promise<AuditPage['entries']> {
  const query = action === undefined ? {} : { action };
  return (await connectAudit(jobState).listAuditEntries({ companyId }, query)).entries;
}

export function logIn(email: string, password: string, address?: string, cookie?: string) {
  return site.request('post', SESSION, { body: { email, password }, address, cookie });
}

export async function expectStatus(status: number, sent: supertest.Test): Promise<void> {
  expect((await sent).status).toBe(status);
}

/** Requests of an operation with the examples of its parameters: one for each example of its body. */
export function exampleRequests({ id, method, path, params = {}, bodyExamples }: AnyOperation) {
  const filled = Object.entries(params).reduce(
    (text, [name, { example }]) => text.replace(`:${name}`, example),
    path,
  );
  const bodies: Readonly<Record<string, Pick<BodyExample, 'value'>>> = bodyExamples ?? {
    none: { value: {} },
  };
  return Object.entries(bodies).map(([name, { value: body }]) => ({
    name: `${id} ${name}`,
    method,
    path: filled,
    body,
  }));
}

export const REPLAY = { states: ['dead_lettered'], from: '2026-08-01T00:00:00Z', to: '2026-08-31T00:00:00Z' };
