import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { ServiceError } from '@partner/kernel/process/service-error';
import { incoming } from '../testing/test-jobs.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

const message = incoming('partner.platform.v1.JobCreated', new Uint8Array(), newId('evt'));

test('a message during an outage is retried later', async () => {
  const handle = retryWhileUnavailable(() => Promise.reject(new ServiceError('unavailable', 'away')));
  expect(await handle(message)).toEqual({ kind: 'retry', afterMs: 1_000 });
});

test('any other outcome or failure of the handler is passed on', async () => {
  const failing = retryWhileUnavailable(() => Promise.reject(new Error('unexpected')));
  await expect(failing(message)).rejects.toThrow('unexpected');
  const handle = retryWhileUnavailable(() => Promise.resolve({ kind: 'dead', reason: 'malformed' }));
  expect(await handle(message)).toEqual({ kind: 'dead', reason: 'malformed' });
});
