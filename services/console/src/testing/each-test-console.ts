import { afterEach, beforeEach, expect } from '@jest/globals';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import type supertest from 'supertest';
import { startTestConsole, type TestConsole } from './start-test-console.js';

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
let sites: TestConsole[] = [];

export async function startSite(
  options: Partial<Parameters<typeof startTestConsole>[0]> = {},
): Promise<TestConsole> {
  const started = await startTestConsole({ redisUrl: testRedisUrl(), ...options });
  sites.push(started);
  return started;
}

beforeEach(async () => {
  site = await startSite();
});

afterEach(async () => {
  await Promise.all(sites.map((started) => started.stop()));
  sites = [];
});

export function logIn(email: string, password: string, address?: string, cookie?: string) {
  return site.request('post', SESSION, {
    body: { email, password },
    ...(address !== undefined && { address }),
    ...(cookie !== undefined && { cookie }),
  });
}

export async function expectStatus(status: number, sent: supertest.Test): Promise<void> {
  expect((await sent).status).toBe(status);
}

export async function createWebhook(cookie: string): Promise<string> {
  const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
  return subscriptionCreated.parse(created.body).subscription.id;
}

export const REPLAY = { states: ['dead_lettered'], from: '2026-08-01T00:00:00Z', to: '2026-08-31T00:00:00Z' };
