import { describe, expect, test } from '@jest/globals';
import { KEY_EXAMPLE } from '@partner/proto-contracts/resources/api-key/api-key';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import type { ApiKey, AttemptCounts, Webhook } from '../../api/hooks.js';
import { attentionOf, type WebhookFacts } from './attention.js';

const NOW = new Date('2026-09-01T12:00:00.000Z');
const WEBHOOK: Webhook = {
  ...SUBSCRIPTION_EXAMPLE,
  id: 'whk_1',
  url: 'https://partner.example/hooks',
  description: '',
  events: ['install.*'],
};
const COUNTS: AttemptCounts = {
  attempts: 0,
  delivered: 0,
  failed: 0,
  deadLettered: 0,
  p50Ms: null,
  p95Ms: null,
};
const KEY: ApiKey = {
  ...KEY_EXAMPLE,
  id: 'key_1',
  kind: 'general',
  scopes: [],
  description: null,
  lastFour: 'wxyz',
  boundCompany: null,
  createdAt: '2026-08-01T12:00:00.000Z',
  lastUsedAt: null,
};

function facts(webhook: Partial<Webhook>, more: Partial<WebhookFacts['statistics']> = {}): WebhookFacts {
  return {
    webhook: { ...WEBHOOK, ...webhook },
    statistics: { totals: COUNTS, held: 0, retrying: 0, ...more },
  };
}

function found(webhooks: readonly WebhookFacts[], keys: readonly ApiKey[] = []) {
  return attentionOf({ webhooks, keys, now: NOW });
}

test('nothing needs attention without problems or while data is loading', () => {
  expect(found([facts({}), { ...facts({}), statistics: undefined }], [KEY])).toEqual([]);
});

describe('failed deliveries are linked', () => {
  test('of a degraded subscription', () => {
    const [first] = found([facts({ health: 'degraded' }, { totals: { ...COUNTS, deadLettered: 3 } })]);
    expect(first).toMatchObject({
      tone: 'bad',
      title: 'Deliveries to partner.example/hooks fail',
      text: 'Recent attempts failed. 3 deliveries dead-lettered in the last 24 hours.',
      link: { to: '/deliveries?webhook=whk_1&status=dead_lettered' },
    });
  });

  test('of a failing endpoint, whose failures can be few among many attempts [DELIVERY-26]', () => {
    expect(found([facts({ failuresInRow: 5 })])).toMatchObject([
      {
        tone: 'bad',
        text: 'At least 5 attempts in a row failed. They are retried automatically.',
        link: { to: '/deliveries?webhook=whk_1&status=retry_scheduled' },
      },
    ]);
    expect(found([facts({ failuresInRow: 4 }), facts({ failuresInRow: 5, state: 'paused' })])).toEqual([]);
  });

  test('of one that has recovered', () => {
    expect(found([facts({}, { totals: { ...COUNTS, deadLettered: 1 } })])).toMatchObject([
      { tone: 'warn', link: { to: '/deliveries?webhook=whk_1&status=dead_lettered' } },
    ]);
  });

  test('of one with pending retries', () => {
    expect(found([facts({}, { retrying: 1_000 })])).toMatchObject([
      {
        title: '1,000 deliveries or more to partner.example/hooks waiting for another attempt',
        link: { to: '/deliveries?webhook=whk_1&status=retry_scheduled' },
      },
    ]);
  });
});

test('a paused subscription is listed only if it holds deliveries', () => {
  expect(found([facts({ state: 'paused' })])).toEqual([]);
  expect(found([facts({ state: 'paused' }, { held: 1 })])).toMatchObject([
    {
      tone: 'warn',
      title: 'partner.example/hooks is paused and holds 1 delivery',
      link: { to: '/webhooks/whk_1' },
    },
  ]);
});

test('an unfinished rotation links to its page', () => {
  expect(found([facts({ pendingSecretVersion: 2 })])).toMatchObject([
    { tone: 'info', link: { to: '/webhooks/whk_1/rotate-secret' } },
  ]);
});

test('an expiring key is listed with its last use', () => {
  const ending: ApiKey = {
    ...KEY,
    state: 'expiring',
    expiresAt: '2026-09-02T00:00:00.000Z',
    lastUsedAt: '2026-09-01T11:00:00.000Z',
    replacedBy: 'key_2',
  };
  expect(found([], [ending, { ...KEY, state: 'revoked' }])).toMatchObject([
    {
      title: 'API key …wxyz ends in 12 hours',
      text: 'It was rotated. It was used 1 hour ago.',
      link: { to: '/api-keys' },
    },
  ]);
});

test('the most urgent problem comes first', () => {
  const tones = found([
    facts({ id: 'whk_1', pendingSecretVersion: 2, verified: false }),
    facts({ id: 'whk_2', state: 'paused', verified: false }),
    facts({ id: 'whk_3', health: 'degraded' }),
  ]).map(({ tone }) => tone);
  expect(tones).toEqual(['bad', 'warn', 'info', 'info']);
});
