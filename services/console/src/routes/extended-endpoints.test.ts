import { EventEmitter, once } from 'node:events';
import { expect, test } from '@jest/globals';
import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import type { ServiceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import { implementInternal } from '@partner/kernel/amqp/implement';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { getServiceStatus } from './extended-endpoints.js';

test('a client that leaves does not end the measurement that others wait for [CONSOLE-12]', async () => {
  const measured = new EventEmitter();
  const measurement = once(measured, 'done');
  const status: ServiceStatus = {
    status: 'operational',
    webhookDelayMs: 1,
    failingWebhooksPercent: null,
    restoredTo: null,
    incidents: [],
    checkedAt: '2026-11-26T12:00:00.000Z',
  };
  const operations = inProcessOperations({
    implementations: [
      implementInternal(measureServiceStatusOperation, async () => {
        await measurement;
        return status;
      }),
    ],
    callers: ['service'],
  });
  const clock = () => new Date('2026-11-26T12:00:00Z');
  const endpoint = getServiceStatus<undefined>({ clock, operations });
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
      headers: {},
      call,
      remoteAddress: '127.0.0.1',
    });
  const leaving = new AbortController();
  const responses = [request({ signal: leaving.signal }), request({})];
  leaving.abort();
  measured.emit('done');
  const expected = { status: 200, json: status };
  await expect(Promise.all(responses)).resolves.toEqual([expected, expected]);
});
