import { expect, test } from '@jest/globals';
import { ChannelLostError } from '@partner/kernel/amqp/inspect-queues';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { CommanderError } from 'commander';
import { endingOf, OperatorError } from './exit-codes.js';

/** An error as amqplib makes it of what the broker says. */
function withCode(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

test.each([
  ['help', new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'), 0, undefined],
  ['wrong usage', new CommanderError(1, 'commander.unknownOption', 'x'), 2, undefined],
  ['a refusal of ours', new OperatorError('usage', 'say what'), 2, 'say what'],
  ['what is not there', notFound('company'), 3, 'no such company'],
  [
    'nobody who answers',
    new ServiceError('unavailable', 'not now', { cause: new Error('no answer') }),
    4,
    '(no answer)',
  ],
  ['a conflict', new ServiceError('test_delivery_required', 'send one first'), 1, 'send one first'],
  ['a fault of the service', ServiceError.from(new Error('secret')), 1, "job-state's log"],
  ['no queue', new PublishError('returned', 'no queue'), 4, 'nothing was sent'],
  ['no confirm', new PublishError('timeout', 'no confirm'), 4, 'no confirm'],
  [
    'a queue that is not there',
    withCode(404, 'NOT_FOUND'),
    4,
    'Has the service ever run against this broker?',
  ],
  ['a right that is missing', withCode(403, 'ACCESS_REFUSED'), 4, 'ACCESS_REFUSED'],
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
  ['a number that is no reply code', withCode(23, 'timed out'), 1, 'a fault of partnerctl'],
  ['anything else', new TypeError('x is not a function'), 1, 'a fault of partnerctl: x is not a function'],
])('%s', (_what, error, exitCode, message) => {
  const ending = endingOf(error);
  expect(ending.exitCode).toBe(exitCode);
  if (message === undefined) expect(ending.message).toBeUndefined();
  else expect(ending.message).toContain(message);
  expect(ending.message ?? '').not.toContain('secret');
});

test('all that is wrong of a request is told', () => {
  const error = new ServiceError('invalid_argument', 'a: first', {
    details: [
      { path: 'a', message: 'first' },
      { path: 'b', message: 'second' },
    ],
  });
  expect(endingOf(error).message).toBe('a: first\nb: second');
});
