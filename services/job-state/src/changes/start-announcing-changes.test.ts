import { fromBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import type { OutgoingMessage } from '@partner/kernel/amqp/publisher';
import { createManualTimers, type ManualTimers } from '@partner/kernel/testing/manual-timers';
import { announceAfterCommit } from './announce-change.js';
import { type ChangeAnnouncements, startAnnouncingChanges } from './start-announcing-changes.js';

let timers: ManualTimers;
let published: OutgoingMessage[];
let accepts: () => Promise<void>;
let announcements: ChangeAnnouncements;

let hooks: object;
const announce = (companyId: string, subscriptionIds: readonly string[]) =>
  announceAfterCommit({ hooks, afterCommit: (then) => then() }, companyId, subscriptionIds);

beforeEach(() => {
  hooks = {};
  timers = createManualTimers();
  published = [];
  accepts = async () => undefined;
  announcements = startAnnouncingChanges({
    databases: [{ hooks }],
    publisher: {
      publish: (message) => {
        published.push(message);
        return accepts();
      },
    },
    after: timers.after,
  });
});

const announced = () =>
  published.splice(0).map(({ body }) => {
    const { companyId, subscriptionIds } = fromBinary(WebhooksChangedSchema, body);
    return [companyId, ...subscriptionIds];
  });

describe('changes', () => {
  test('are announced at once to every listener', () => {
    announce('cmp_1', ['whk_1', 'whk_2']);
    expect(published).toMatchObject([
      {
        exchange: { name: 'partner.webhook-changes', type: 'fanout' },
        type: 'partner.webhooks.v1.WebhooksChanged',
        mayBeLost: true,
      },
    ]);
    expect(announced()).toEqual([['cmp_1', 'whk_1', 'whk_2']]);
  });

  test('are announced together once a second for each company', () => {
    announce('cmp_1', ['whk_1']);
    for (let n = 0; n < 1_000; n += 1) announce('cmp_1', [`whk_${n % 3}`]);
    announce('cmp_2', ['whk_9']);
    expect(announced()).toEqual([
      ['cmp_1', 'whk_1'],
      ['cmp_2', 'whk_9'],
    ]);
    timers.pass(1_000);
    expect(announced()).toEqual([['cmp_1', 'whk_0', 'whk_1', 'whk_2']]);
    timers.pass(1_000);
    expect(announced()).toEqual([]);
    expect(timers.waiting()).toBe(0);
  });

  test.each([
    ['refuses', () => Promise.reject(new Error('no connection'))],
    ['never settles', () => new Promise<void>(() => undefined)],
    [
      'fails at once',
      () => {
        throw new Error('unexpected');
      },
    ],
  ])('do not affect a commit if the broker %s', (_name, outcome) => {
    accepts = outcome;
    announce('cmp_1', ['whk_1']);
    announce('cmp_1', ['whk_1']);
    timers.pass(1_000);
    expect(announced()).toHaveLength(2);
  });

  test('are not announced after the stop', () => {
    announce('cmp_1', ['whk_1']);
    announce('cmp_1', ['whk_2']);
    announcements.stop();
    announce('cmp_2', ['whk_3']);
    timers.pass(1_000);
    expect(announced()).toEqual([['cmp_1', 'whk_1']]);
  });
});
