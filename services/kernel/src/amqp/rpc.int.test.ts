import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { MAX_MESSAGE_BYTES } from './message-size.js';
import { encodeCall } from './operation-call.js';
import { observeConnection } from '../testing/observed-connection.js';
import { heldBack } from '../testing/held-back.js';
import { metrics, probe } from '../testing/over-broker.js';
import {
  clientOf,
  clientSide,
  failureOf,
  GET_JOB,
  openRawClient,
  queue,
  REPLY_TO,
  serve,
  serveHanging,
  serveRecording,
} from '../testing/rpc-over-broker.js';

const REQUEST = { type: GET_JOB, contentType: CALL_CONTENT_TYPE, correlationId: '1' } as const;

describe('RPC over the broker', () => {
  test('carries a request with its deadline, and returns the response', async () => {
    const timeouts = createRecorder<number | undefined>();
    await serve(async ({ jobId = '' }, { timeoutMs }) => {
      timeouts.record(timeoutMs());
      return { resourceJson: `{"id":"${jobId}"}` };
    });
    const client = await clientOf();
    const response = await client.getJob({ jobId: 'job_1' }, { timeoutMs: 60_000 });
    expect(response).toEqual({ resourceJson: '{"id":"job_1"}' });
    const [timeoutMs] = timeouts.all();
    expect(timeoutMs).toBeLessThanOrEqual(60_000);
    expect(timeoutMs).toBeGreaterThan(0);
  });

  test('does not mix up concurrent calls', async () => {
    await serve(async ({ jobId = '' }) => ({ resourceJson: jobId }));
    const client = await clientOf();
    const ids = Array.from({ length: 200 }, (_, index) => `job_${index}`);
    const responses = await Promise.all(ids.map((jobId) => client.getJob({ jobId }, { timeoutMs: 60_000 })));
    expect(responses.map(({ resourceJson }) => resourceJson)).toEqual(ids);
  });

  test('reports a request or response that the broker may refuse as internal, does not send it, and keeps running [LIMIT-7]', async () => {
    const served = createRecorder<number>();
    await serve(async ({ jobId = '' }) => {
      served.record(Number(jobId));
      return { resourceJson: 'x'.repeat(Number(jobId)) };
    });
    const client = await clientOf();
    const longest = MAX_MESSAGE_BYTES - '{"resourceJson":""}'.length;
    const ids = ['1'.repeat(MAX_MESSAGE_BYTES), String(longest + 1), String(longest)];
    const calls = ids.map((jobId) => client.getJob({ jobId }, { timeoutMs: 60_000 }));
    const refused = { reason: { reason: 'internal' } };
    const fitting = { value: { resourceJson: 'x'.repeat(longest) } };
    expect(await Promise.allSettled(calls)).toMatchObject([refused, refused, fitting]);
    expect(served.all()).toEqual([longest + 1, longest]);
  });

  test('responds to a malformed request and to an unknown method, to one of release 0.1.0 as that release understands it, and keeps running', async () => {
    const served = await serveRecording();
    const client = await clientOf();
    expect((await failureOf(client.addNote({}))).reason).toBe('unavailable');

    const { send, replies } = await openRawClient();
    send(Buffer.from([0xff, 0xff, 0xff]), { ...REQUEST, replyTo: REPLY_TO });
    send(Buffer.alloc(0), { replyTo: REPLY_TO });
    const { type, base64 } = RELEASE_0_1_0.call;
    send(Buffer.from(base64, 'base64'), { type, replyTo: REPLY_TO, correlationId: '2' });
    const refusal = RELEASE_0_1_0.unknownCallReply.type;
    expect(await replies.atLeast(3)).toEqual(['error', refusal, refusal]);

    await client.getJob({ jobId: 'fine' });
    expect(served.all()).toEqual(['fine']);
    await probe.hasMessages(queue.name, 0);
  });
});

describe('RPC over the broker at its limits', () => {
  test('drops requests past their deadline, through another exchange, and without a reply address or with another one', async () => {
    const served = await serveRecording();
    const client = await clientOf();
    const { send, sendPastExchange, replies } = await openRawClient();
    const body = Buffer.from(encodeCall({ caller: { kind: 'service' }, body: { jobId: 'job_2' } }));
    const { queue: elsewhere } = await probe.channel.assertQueue('', { exclusive: true });
    sendPastExchange(body, { ...REQUEST, replyTo: REPLY_TO });
    send(body, { ...REQUEST, replyTo: elsewhere });
    send(body, REQUEST);
    send(body, { ...REQUEST, replyTo: REPLY_TO, headers: { 'x-timeout-ms': 0 } });
    for (const count of ['foreign_exchange"} 1', 'no_reply_address"} 2', 'expired"} 1']) {
      await eventually(`a count of ${count}`, async () =>
        (await metrics.metrics()).includes(`{method="${GET_JOB}",cause="${count}`),
      );
    }
    await client.getJob({ jobId: 'job_1' });
    await probe.hasMessages(queue.name, 0);
    expect(served.all()).toEqual(['job_1']);
    expect(replies.all()).toEqual([]);
    await probe.hasMessages(elsewhere, 0);
  });

  test('fails with unavailable when the deadline passes, and ignores the late response [HTTP-18]', async () => {
    const { gate, finish } = heldBack();
    const started = createRecorder<() => number | undefined>();
    await serve(async (_input, { timeoutMs }) => {
      started.record(timeoutMs);
      await gate;
      return { resourceJson: 'late' };
    });
    const client = await clientOf();
    const error = await failureOf(client.getJob({}, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
    expect(error.message).toMatch(/; check whether it took effect, or retry .* if the request had one$/);
    const [leftMs] = await started.atLeast(1);
    // The server received the call later, and so counts to a later end.
    await eventually('the deadline of the server', () => (leftMs?.() ?? 0) <= 0);
    finish();
    await eventually('the drop', async () =>
      (await metrics.getSingleMetricAsString('partner_rpc_server_dropped_total')).includes(
        'cause="overdue"} 1',
      ),
    );
    expect(await metrics.getSingleMetricAsString('partner_rpc_client_timeouts_total')).toContain(
      `${GET_JOB}"} 1`,
    );
  });

  test('lets the broker drop requests that no server consumed in time', async () => {
    const client = await clientOf();
    const error = await failureOf(client.getJob({}, { timeoutMs: 50 }));
    expect(error.reason).toBe('unavailable');
    const served = await serveRecording();
    await client.getJob({ jobId: 'job_2' });
    expect(served.all()).toEqual(['job_2']);
  });

  test("holds calls while the socket's buffer is full, and drops those past their deadline", async () => {
    const served = await serveRecording();
    const observed = observeConnection(clientSide);
    const client = await clientOf({ over: observed });
    const { channel } = await observed.channels.find(() => true);
    const publish = channel.publish.bind(channel);
    channel.publish = (...message) => {
      publish(...message);
      return false;
    };
    await client.getJob({ jobId: 'fills the socket' });
    const giveUp = new AbortController();
    const dropped = failureOf(client.getJob({ jobId: 'given up' }, { signal: giveUp.signal }));
    const late = failureOf(client.getJob({ jobId: 'late' }, { timeoutMs: 1 }));
    const waiting = client.getJob({ jobId: 'waits' });
    giveUp.abort();
    for (const error of await Promise.all([dropped, late])) {
      expect(error.message).toMatch(
        /not available; nothing was done; retry, with .* if the request had one$/,
      );
    }
    channel.emit('drain');
    expect((await waiting).resourceJson).toBe('waits');
    expect(served.all()).toEqual(['fills the socket', 'waits']);
  });

  test('refuses calls beyond the limit in flight at once', async () => {
    const started = await serveHanging();
    const client = await clientOf();
    const options = { timeoutMs: 3_600_000 };
    const calls = Array.from({ length: 200 }, () => failureOf(client.getJob({}, options)));
    expect((await failureOf(client.getJob({ jobId: 'too many' }, options))).reason).toBe('unavailable');
    expect(await metrics.metrics()).toContain(`partner_rpc_client_in_flight{queue="${queue.name}"} 200\n`);
    await started.atLeast(2);
    expect(started.all()).not.toContain('too many');
    await clientSide.close();
    await Promise.all(calls);
  });

  test('ends a call that its caller cancels, before and after it was sent, and leaves no listener on the signal', async () => {
    const started = await serveHanging();
    const client = await clientOf();
    const giveUp = new AbortController();
    const { signal } = giveUp;
    await client.getJob({ jobId: 'fine' }, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const call = failureOf(client.getJob({ jobId: 'job_1' }, { signal, timeoutMs: 3_600_000 }));
    await started.find((id) => id === 'job_1');
    giveUp.abort();
    expect((await call).reason).toBe('unavailable');
    expect((await failureOf(client.getJob({ jobId: 'job_2' }, { signal }))).reason).toBe('unavailable');
    expect(started.all()).not.toContain('job_2');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
