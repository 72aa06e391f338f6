import { fromBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import type { OutgoingMessage } from '@partner/kernel/amqp/publisher';
import { createManualTimers, type ManualTimers } from '@partner/kernel/testing/manual-timers';
import { sendLiveUpdate } from './send-live-update.js';
import { type LiveUpdates, startLiveUpdates } from './start-live-updates.js';

let timers: ManualTimers;
let published: OutgoingMessage[];
let accepts: () => Promise<void>;
let liveUpdates: LiveUpdates;

let hooks: object;
const change = (companyId: string, subscriptionIds: readonly string[]) =>
  sendLiveUpdate({ hooks, afterCommit: (then) => then() }, companyId, subscriptionIds);

beforeEach(() => {
  hooks = {};
  timers = createManualTimers();
  published = [];
  accepts = async () => undefined;
  liveUpdates = startLiveUpdates({
    database: { hooks },
    publisher: {
      publish: (message) => {
        published.push(message);
        return accepts();
      },
    },
    after: timers.after,
  });
});

const sent = () =>
  published.splice(0).map(({ body }) => {
    const first = fromBinary(WebhooksChangedSchema, body);
    return [first, ...first.others].map(({ companyId, subscriptionIds }) => [companyId, ...subscriptionIds]);
  });

describe('live updates', () => {
  test('are sent at once to every listener', () => {
    change('cmp_1', ['whk_1', 'whk_2']);
    const exchange = { name: 'partner.webhook-changes', type: 'fanout' };
    const type = 'partner.webhooks.v1.WebhooksChanged';
    expect(published).toMatchObject([{ exchange, type, mayBeLost: true }]);
    expect(sent()).toEqual([[['cmp_1', 'whk_1', 'whk_2']]]);
  });

  test('are sent together four times a second, all companies in one message', () => {
    change('cmp_1', ['whk_1']);
    for (let n = 0; n < 1_000; n += 1) change('cmp_1', [`whk_${n % 3}`]);
    change('cmp_2', ['whk_9']);
    expect(sent()).toEqual([[['cmp_1', 'whk_1']]]);
    timers.pass(250);
    const all = [
      ['cmp_1', 'whk_0', 'whk_1', 'whk_2'],
      ['cmp_2', 'whk_9'],
    ];
    expect(sent()).toEqual([all]);
    timers.pass(250);
    expect(sent()).toEqual([]);
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
    change('cmp_1', ['whk_1']);
    change('cmp_1', ['whk_1']);
    timers.pass(250);
    expect(sent()).toHaveLength(2);
  });

  test('are not sent after the stop', () => {
    change('cmp_1', ['whk_1']);
    change('cmp_1', ['whk_2']);
    liveUpdates.stop();
    change('cmp_2', ['whk_3']);
    timers.pass(250);
    expect(sent()).toEqual([[['cmp_1', 'whk_1']]]);
  });
});
