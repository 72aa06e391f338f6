import { expect, test } from '@jest/globals';
import { KEY_EXAMPLE } from '@partner/proto-contracts/resources/api-key/api-key';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import type { ApiKey, Webhook } from '../../api/hooks.js';
import { countKinds, problemsOf } from './problems.js';

const NOW = new Date(2026, 8, 1, 12);
const ENDING: ApiKey = {
  ...{ ...KEY_EXAMPLE, lastFour: 'wxyz', state: 'expiring' },
  expiresAt: new Date(2026, 8, 2).toISOString(),
  lastUsedAt: new Date(2026, 8, 1, 11).toISOString(),
};

function webhook(
  condition: Partial<NonNullable<Webhook['condition']>>,
  more: Partial<Webhook> = {},
): Webhook {
  const nothing = { since: null, attempts: null, accepted: null, missed: null, missedAtLeast: false };
  return {
    ...{ ...SUBSCRIPTION_EXAMPLE, id: 'whk_1', description: 'CRM', pendingSecretVersion: null, ...more },
    condition: { ...nothing, state: 'active', waiting: 0, ...condition },
  };
}

const found = (webhooks: readonly Webhook[], deadLettered = 0, keys: readonly ApiKey[] = []) =>
  problemsOf({ webhooks, keys, deliveriesOf: () => ({ deadLettered }), now: NOW });

const DEAD = '/deliveries?webhook=whk_1&status=dead_lettered';
const WAITING = '/deliveries?webhook=whk_1&status=retry_scheduled';

test.each([
  ['fails', webhook({ state: 'failing', waiting: 141 }), 0, { label: 'See why', to: WAITING }],
  ['fails, and nothing waits', webhook({ state: 'failing' }), 3, { label: 'See why', to: DEAD }],
  ['recovers', webhook({ state: 'recovering', waiting: 124 }), 3, { does: 'retry' }],
  ['is paused and misses events', webhook({ state: 'paused', missed: 2_067 }), 0, { does: 'activate' }],
  ['works again', webhook({ waiting: 2 }), 3, { label: 'See them', to: DEAD }],
  ['has a new secret', webhook({}, { pendingSecretVersion: 2 }), 0, { to: '/webhooks/whk_1/rotate-secret' }],
])('a webhook that %s has one line with one button', (_what, each, givenUp, act) => {
  expect(found([each], givenUp)).toMatchObject([{ name: 'CRM', text: expect.stringMatching(/./), act }]);
});

test('a webhook that works, is paused without missing anything, or is not tested has no problem', () => {
  expect(found([webhook({}), webhook({ state: 'paused', missed: 0 })])).toEqual([]);
  expect(found([webhook({ state: 'not_tested' })], 3, [KEY_EXAMPLE])).toEqual([]);
});

test('what fails now comes first, and all are counted by their kind', () => {
  const problems = found([webhook({}), webhook({ state: 'failing' })], 1, [ENDING]);
  expect(problems.map(({ text }) => text)).toEqual([
    'Failing: 0 attempts failed',
    '1 delivery given up in the last 24 hours',
    'Expires in 12 hours, last used 1 hour ago',
  ]);
  expect(countKinds(problems, 9)).toBe('1 failing, 1 with deliveries given up, 1 expiring, 9 not tested yet');
});
