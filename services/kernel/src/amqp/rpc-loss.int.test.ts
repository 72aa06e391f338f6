import { describe, expect, test } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import type { AmqpConnection } from './connection.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { heldBack } from '../testing/held-back.js';
import { connect, metrics, probe } from '../testing/over-broker.js';
import {
  clientOf,
  clientSide,
  failureOf,
  queue,
  serve,
  serveHanging,
  serverSide,
} from '../testing/rpc-over-broker.js';

describe('RPC over a broker, when a component fails', () => {
  test('fails at once when no queue accepts the request', async () => {
    const client = await clientOf({
      queue: { name: 'test.there-is-no-such-queue', type: 'classic', bindings: [] },
    });
    const error = await failureOf(client.getJob({}, { timeoutMs: 3_600_000 }));
    expect(error).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
  });

  test('fails at once when the broker refuses the request, and opens another channel', async () => {
    const full = await probe.declareTestQueue({ type: 'classic', maxLength: 1 });
    probe.send(full.name, 'the only message');
    await probe.hasMessages(full.name, 1);
    const client = await clientOf({ queue: full });
    const error = await failureOf(client.getJob({}, { timeoutMs: 3_600_000 }));
    expect(error.reason).toBe('unavailable');
    await eventually('another channel', async () =>
      (await metrics.metrics()).includes(
        `partner_amqp_channel_rebuilds_total{connection="client",channel="call ${full.name}"} 1`,
      ),
    );
  });

  test('fails every call in flight as soon as its channel is lost, and works again afterwards', async () => {
    const started = await serveHanging();
    const observed = observeConnection(clientSide);
    const client = await clientOf({ over: observed });
    const calls = [1, 2, 3].map((index) =>
      failureOf(client.getJob({ jobId: `job_${index}` }, { timeoutMs: 3_600_000 })),
    );
    await started.atLeast(3);
    const { channel } = await observed.channels.find(() => true);
    await killChannel(channel);
    for (const error of await Promise.all(calls)) expect(error.reason).toBe('unavailable');
    await observed.channels.atLeast(2);
    await client.getJob({ jobId: 'fine' });
    expect(await metrics.getSingleMetricAsString('partner_rpc_client_in_flight')).toContain('} 0');
  });

  test('lets another replica respond when the first crashes with the request', async () => {
    const doomed = connect('doomed');
    const started = await serveHanging(doomed);
    const client = await clientOf();
    const call = client.getJob({ jobId: 'job_1' }, { timeoutMs: 60_000 });
    await started.atLeast(1);
    await serve(async () => ({ resourceJson: 'second' }));
    await doomed.close();
    expect((await call).resourceJson).toBe('second');
  });

  test('does not rerun a non-idempotent call when its replica crashes', async () => {
    const doomed = connect('doomed');
    const started = createRecorder<string>();
    const serveNotes = (name: string, over: AmqpConnection) => {
      const addNote = async () => {
        started.record(name);
        return new Promise<never>(() => undefined);
      };
      return serve({ addNote }, over);
    };
    await serveNotes('first', doomed);
    const client = await clientOf();
    const giveUp = new AbortController();
    const call = failureOf(client.addNote({}, { timeoutMs: 3_600_000, signal: giveUp.signal }));
    await started.atLeast(1);
    await serveNotes('second', serverSide);
    await doomed.close();
    await eventually('the drop', async () =>
      (await metrics.getSingleMetricAsString('partner_rpc_server_dropped_total')).includes(
        'testAddNote",cause="not_repeatable"} 1',
      ),
    );
    giveUp.abort();
    expect((await call).message).toContain('the outcome is unknown');
    expect(started.all()).toEqual(['first']);
    await probe.hasMessages(queue.name, 0);
  });

  test('responds to requests in flight before it stops, and accepts no more', async () => {
    const started = createRecorder<string>();
    const { gate, finish } = heldBack();
    const server = await serve(async ({ jobId = '' }) => {
      started.record(jobId);
      await gate;
      return { resourceJson: jobId };
    });
    const client = await clientOf();
    const call = client.getJob({ jobId: 'job_1' });
    await started.atLeast(1);
    const stopped = server.stop();
    await eventually(
      'no consumer',
      async () => (await probe.channel.checkQueue(queue.name)).consumerCount === 0,
    );
    const late = failureOf(client.getJob({ jobId: 'job_2' }, { timeoutMs: 50 }));
    finish();
    expect((await call).resourceJson).toBe('job_1');
    await stopped;
    expect((await late).reason).toBe('unavailable');
    expect(started.all()).toEqual(['job_1']);
  });
});
