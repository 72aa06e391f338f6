import { EventEmitter, once } from 'node:events';
import { create } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import { GetServiceStatusResponseSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getServiceStatus } from './get-service-status.js';

test('a client that leaves does not end the measurement that others wait for [CONSOLE-12]', async () => {
  const measured = new EventEmitter();
  const measurement = once(measured, 'done');
  const endpoint = getServiceStatus<undefined>({
    clock: () => new Date('2026-11-26T12:00:00Z'),
    deliveries: {
      async getServiceStatus(_request, options) {
        await measurement;
        options?.signal?.throwIfAborted();
        return create(GetServiceStatusResponseSchema, { resourceJson: '{}' });
      },
    },
  });
  const request = (call: CallOptions) =>
    endpoint.handle({
      principal: undefined,
      params: {},
      query: {},
      sentQuery: {},
      body: undefined,
      idempotencyKey: undefined,
      operation: 'GET /partner-api/status',
      bodySha256: Buffer.alloc(32),
      requestId: 'req-1',
      apiVersion: '2026-08-26',
      header: () => undefined,
      call,
      remoteAddress: '127.0.0.1',
    });
  const leaving = new AbortController();
  const responses = [request({ signal: leaving.signal }), request({})];
  leaving.abort();
  measured.emit('done');
  const expected = { status: 200, text: '{}' };
  await expect(Promise.all(responses)).resolves.toEqual([expected, expected]);
});
