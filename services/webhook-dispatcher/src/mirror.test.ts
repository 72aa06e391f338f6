import '@partner/kernel/telemetry/start';
import { createHmac } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  DeliveryAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { SHADOW_HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import type { PostResult } from './https-sender.js';
import { createMirror } from './mirror.js';
import { readDeliveryCommands } from './read-delivery-command.js';
import {
  body,
  command,
  delivered,
  deliverer,
  encoded,
  message,
  now,
  results,
  run,
  sealedHeaders,
  secret,
  several,
  trace,
} from './testing/deliver-fixture.js';

const shadow = { id: 'shd_1', url: 'https://next.example.com/svc' };
const failed: PostResult = { trace, outcome: 'timed_out', durationMs: 10_000, error: 'no response' };

describe('a delivery with a shadow', () => {
  test('is copied there after its attempt, with the same body, number and secret, and a mark [SHADOW-2]', async () => {
    let ended = 0;
    run.respond = async () => {
      ended += 1;
      return delivered;
    };
    await deliverer()(message({ shadow, number: '17' }));
    await eventually('the copy is reported', () => results().length === 2);
    expect(ended).toBe(2);
    const [live, copy] = run.posts;
    expect([live?.url, copy?.url]).toEqual([command.url, shadow.url]);
    expect(Buffer.from(copy?.body ?? [])).toEqual(body);
    const { 'x-svc-shadow': mark, ...headers } = copy?.headers ?? {};
    expect(mark).toBe('true');
    expect(live?.headers).not.toHaveProperty('x-svc-shadow');
    expect(headers).toMatchObject({
      'x-svc-number': '17',
      'x-svc-delivery-id': 'dlv_attempt1',
      'x-svc-secret-version': '4',
      'x-svc-signature': `v1=${createHmac('sha256', secret)
        .update(Buffer.concat([Buffer.from(`${headers['x-svc-timestamp']}.`), body]))
        .digest('hex')}`,
    });
  });

  test('has the custom headers of the command on the same host only, and else those of the shadow [SHADOW-8]', async () => {
    const authorization = (value: string, version?: number) =>
      sealedHeaders(JSON.stringify({ authorization: value }), version);
    const ofShadow = { sealedHeaders: authorization('Bearer shadow', SHADOW_HEADERS_VERSION) };
    const sent = [];
    const deliver = deliverer();
    for (const [url, more] of [
      ['https://hooks.example.com/v2', {}],
      [shadow.url, {}],
      [shadow.url, ofShadow],
      ['https://hooks.example.com/v2', ofShadow],
    ] as const) {
      run.posts.length = 0;
      const leaseId = newId('dlv');
      await deliver(
        message({
          leaseId,
          shadow: { id: 'shd_1', url, ...more },
          sealedHeaders: authorization('Bearer live'),
        }),
      );
      await eventually('the copy is sent', () => run.posts.length === 2);
      sent.push(run.posts.map(({ headers }) => headers['authorization']));
    }
    expect(sent).toEqual([
      ['Bearer live', 'Bearer live'],
      ['Bearer live', undefined],
      ['Bearer live', 'Bearer shadow'],
      ['Bearer live', 'Bearer shadow'],
    ]);
  });

  test('is acknowledged with its own result, and reported again with that of the copy [SHADOW-3]', async () => {
    let complete: (result: PostResult) => void = () => undefined;
    run.respond = async (post) =>
      post.url === shadow.url
        ? new Promise<PostResult>((resolve) => {
            complete = resolve;
          })
        : delivered;
    expect(await deliverer()(message({ shadow }))).toEqual({ kind: 'done' });
    expect(results()).toHaveLength(1);
    expect(results()[0]).toMatchObject({ attempt: { outcome: AttemptOutcome.DELIVERED } });
    expect(results()[0]?.shadow).toBeUndefined();
    complete(failed);
    await eventually('the copy is reported', () => results().length === 2);
    expect(results()[1]).toMatchObject({
      deliveryId: command.deliveryId,
      attempt: { deliveryId: 'dlv_attempt1', outcome: AttemptOutcome.DELIVERED },
      shadow: {
        shadowId: 'shd_1',
        eventId: command.eventId,
        event: command.event,
        outcome: AttemptOutcome.TIMED_OUT,
        durationMs: 10_000,
        error: 'no response',
      },
    });
  });

  test('is not copied by a redelivered command, nor once the process stops [SHADOW-2]', async () => {
    const deliver = deliverer();
    await deliver(message({ shadow }));
    await eventually('the copy is reported', () => results().length === 2);
    await deliver(message({ shadow }, true));
    expect(run.posts).toHaveLength(2);
    run.respond = async () => {
      run.stop.abort();
      return delivered;
    };
    await deliver(message({ shadow, leaseId: 'lease-2' }));
    expect(run.posts).toHaveLength(3);
  });

  test('skips the copy while the slots for copies are in use, and says so with its result [SHADOW-3]', async () => {
    run.respond = async (post) => (post.url === shadow.url ? new Promise<never>(() => undefined) : delivered);
    const deliveries = several(3).map((each) => ({ ...each, shadow }));
    await deliverer()({ ...message(), body: encoded(...deliveries) });
    expect(run.posts.filter(({ url }) => url === shadow.url)).toHaveLength(1);
    expect(results().map((result) => result.shadow?.skipped)).toEqual([undefined, true, true]);
    expect(results().every(({ attempt }) => attempt?.outcome === AttemptOutcome.DELIVERED)).toBe(true);
  });
});

test('a company has a fifth of the slots for copies, which are a tenth of those for attempts [SHADOW-3]', async () => {
  let finish: () => void = () => undefined;
  const held = new Promise<PostResult>((resolve) => {
    finish = () => resolve(delivered);
  });
  const mirror = createMirror({
    sender: { post: () => held },
    concurrency: 100,
    stopping: new AbortController().signal,
    logger: silentLogger,
  });
  const isSkipped = (companyId: string) => {
    const subscriptionId = newId('whk');
    const [read] = readDeliveryCommands(
      encoded({ ...command, subscriptionId, shadow: { ...shadow, companyId } }),
    );
    invariant(read !== undefined && 'command' in read, 'the command is valid');
    const attempted = create(DeliveryAttemptedSchema);
    const secrets = { secret, headers: {}, shadowHeaders: {} };
    mirror({ command: read.command, secrets, attempted, at: now, report: async () => undefined });
    return attempted.shadow?.skipped === true;
  };
  const skipped = (id: string, count: number) =>
    Array.from({ length: count }, () => isSkipped(id)).filter(Boolean).length;
  expect(skipped('cmp_0', 3)).toBe(1);
  expect([1, 2, 3, 4].map((number) => skipped(`cmp_${number}`, 2))).toEqual([0, 0, 0, 0]);
  expect(skipped('cmp_5', 1)).toBe(1);
  finish();
  await eventually('the slots are free', () => !isSkipped('cmp_5'));
});
