import { expect, test } from '@jest/globals';
import { ChannelLostError } from '@partner/kernel/amqp/inspect-queues';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import {
  NOT_DONE_ADVICE,
  notFound,
  OUTCOME_UNKNOWN_ADVICE,
  ServiceError,
} from '@partner/kernel/process/service-error';
import { CommanderError } from 'commander';
import { endingOf, OperatorError } from './exit-codes.js';

function withCode(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

test.each([
  ['help', new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'), 0, undefined],
  ['wrong usage', new CommanderError(1, 'commander.unknownOption', 'x'), 2, undefined],
  ['a refusal by the service', new OperatorError('usage', 'say what'), 2, 'say what'],
  ['a missing resource', notFound('company'), 3, 'no such company'],
  [
    'no response',
    new ServiceError('unavailable', `not now; ${OUTCOME_UNKNOWN_ADVICE}`, {
      cause: new Error('no response'),
    }),
    4,
    /^job-state has not done this: no response\. If it was a change, check .* Is job-state running/,
  ],
  [
    'a component without its database',
    new ServiceError('unavailable', `the service is not available now; ${NOT_DONE_ADVICE}`),
    4,
    'job-state: the service is not available now. Nothing was changed. Is job-state running?',
  ],
  ['a conflict', new ServiceError('test_delivery_required', 'send one first'), 1, 'send one first'],
  ['an error of the service', ServiceError.from(new Error('secret')), 1, "job-state's log"],
  ['no queue', new PublishError('returned', 'no queue'), 4, 'nothing was sent'],
  ['no confirm', new PublishError('timeout', 'no confirm'), 4, 'no confirm'],
  ['a missing queue', withCode(404, 'NOT_FOUND'), 4, 'Has the service ever run against this broker?'],
  ['a missing permission', withCode(403, 'ACCESS_REFUSED'), 4, 'ACCESS_REFUSED'],
  [
    'a channel that the broker has closed',
    new ChannelLostError('the channel was lost', { cause: withCode(403, 'ACCESS_REFUSED') }),
    4,
    'the channel was lost: ACCESS_REFUSED',
  ],
  [
    'a lost connection',
    new ChannelLostError('the channel was lost', { cause: new Error('socket closed') }),
    4,
    'the channel was lost: socket closed',
  ],
  ['a number that is not a reply code', withCode(23, 'timed out'), 1, 'a bug in partnerctl'],
  ['anything else', new TypeError('x is not a function'), 1, 'a bug in partnerctl: x is not a function'],
])('%s', (_what, error, exitCode, message) => {
  const ending = endingOf(error);
  expect(ending.exitCode).toBe(exitCode);
  if (message === undefined) expect(ending.message).toBeUndefined();
  else
    expect(ending.message).toEqual(
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    );
  expect(ending.message ?? '').not.toContain('Idempotency-Key');
  expect(ending.message ?? '').not.toContain('secret');
});

test('all violations of a request are reported', () => {
  const error = new ServiceError('invalid_argument', 'a: first', {
    details: [
      { path: 'a', message: 'first' },
      { path: 'eventIds.0', message: 'second' },
    ],
  });
  expect(endingOf(error).message).toBe('a: first\n--ids (eventIds.0): second');
});
