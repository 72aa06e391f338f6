import { expect, test } from '@jest/globals';
import { KEY_EXAMPLE } from '@partner/proto-contracts/resources/api-key/api-key';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import type { ApiKey, Webhook } from '../../api/hooks.js';
import { attentionOf, type WebhookFacts } from './attention.js';

const NOW = new Date('2026-09-01T12:00:00.000Z');
const WEBHOOK: Webhook = {
  ...SUBSCRIPTION_EXAMPLE,
  id: 'whk_1',
  url: 'https://partner.example/hooks',
  description: '',
};
const KEY: ApiKey = { ...KEY_EXAMPLE, lastFour: 'wxyz' };
const ENDING: ApiKey = {
  ...KEY,
  state: 'expiring',
  expiresAt: '2026-09-02T00:00:00.000Z',
  lastUsedAt: '2026-09-01T11:00:00.000Z',
  replacedBy: 'key_2',
};

function facts(webhook: Partial<Webhook>, waiting: { dead?: number; retrying?: number; held?: number } = {}) {
  const { dead: deadLettered = 0, retrying = 0, held = 0 } = waiting;
  const totals = { attempts: 0, delivered: 0, failed: 0, deadLettered, p50Ms: null, p95Ms: null };
  return { webhook: { ...WEBHOOK, ...webhook }, statistics: { totals, held, retrying } };
}

function found(webhooks: readonly WebhookFacts[], keys: readonly ApiKey[] = []) {
  return attentionOf({ webhooks, keys, now: NOW });
}

test('nothing needs attention without problems or while data is loading', () => {
  expect(found([facts({}), { ...facts({}), statistics: undefined }], [KEY])).toEqual([]);
  expect(found([facts({ state: 'paused' })], [{ ...KEY, state: 'revoked' }])).toEqual([]);
});

const DEAD = { to: '/deliveries?webhook=whk_1&status=dead_lettered' };
const WAITING = { to: '/deliveries?webhook=whk_1&status=retry_scheduled' };

test.each([
  [
    'failed deliveries of a degraded subscription',
    facts({ health: 'degraded' }, { dead: 3 }),
    {
      tone: 'bad',
      title: 'Deliveries to partner.example/hooks fail',
      text: 'Recent attempts failed. 3 deliveries dead-lettered in the last 24 hours.',
      link: DEAD,
    },
  ],
  ['failed deliveries of one that has recovered', facts({}, { dead: 1 }), { tone: 'warn', link: DEAD }],
  [
    'pending retries',
    facts({}, { retrying: 1_000 }),
    {
      title: '1,000 deliveries or more to partner.example/hooks waiting for another attempt',
      link: WAITING,
    },
  ],
  [
    'a paused subscription that holds deliveries',
    facts({ state: 'paused' }, { held: 1 }),
    {
      tone: 'warn',
      title: 'partner.example/hooks is paused and holds 1 delivery',
      link: { to: '/webhooks/whk_1' },
    },
  ],
  [
    'an unfinished rotation',
    facts({ pendingSecretVersion: 2 }),
    { tone: 'info', link: { to: '/webhooks/whk_1/rotate-secret' } },
  ],
])('%s: is listed with a link', (_what, webhook, attention) => {
  expect(found([webhook])).toMatchObject([attention]);
});

test('a failing endpoint is listed, whose failures can be few among many attempts [DELIVERY-26]', () => {
  expect(found([facts({ failuresInRow: 5 })])).toMatchObject([
    {
      tone: 'bad',
      text: 'At least 5 attempts in a row failed. They are retried automatically.',
      link: WAITING,
    },
  ]);
  expect(found([facts({ failuresInRow: 4 }), facts({ failuresInRow: 5, state: 'paused' })])).toEqual([]);
});

test('an expiring key is listed with its last use', () => {
  expect(found([], [ENDING])).toMatchObject([
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
