import { expect, test } from '@jest/globals';
import { chooseBroker } from './choose-broker.js';
import { aStack } from './testing/in-process.js';

const OWN = 'amqp://guest:guest@127.0.0.1/partner';
const stack = aStack(OWN);

test('the broker is the named one, else that of the stack', () => {
  const none = { option: undefined, variable: undefined };
  expect(chooseBroker(none, stack)).toEqual({ amqpUrl: OWN, stack, isStackLeftOut: false });
  const both = { option: 'amqp://a', variable: 'amqp://b' };
  expect(chooseBroker(both, undefined)).toMatchObject({ amqpUrl: 'amqp://a', isStackLeftOut: false });
});

test.each([
  [OWN, true, true],
  [`${OWN}/`, true, true],
  ['amqp://guest:guest@127.0.0.1/', true, false],
  ['amqp://guest:guest@127.0.0.1', true, false],
  ['amqp://guest:guest@127.0.0.1/dev', true, false],
  ['amqp://guest:guest@127.0.0.1/partner-two', false, false],
  ['amqp://guest:guest@127.0.0.1:5673/partner', false, false],
  ['amqp://production.example/partner', false, false],
  [`${OWN},amqp://production.example/partner`, false, false],
  ['no url', false, false],
  ['', false, false],
])("%s as a variable and as an option is the stack's broker: %s, %s", (url, byVariable, byOption) => {
  for (const [given, isTheStacks] of [
    [{ option: undefined, variable: url }, byVariable],
    [{ option: url, variable: 'amqp://elsewhere/partner' }, byOption],
  ] as const)
    expect(chooseBroker(given, stack)).toEqual(
      isTheStacks
        ? { amqpUrl: OWN, stack, isStackLeftOut: false }
        : { amqpUrl: url, stack: undefined, isStackLeftOut: true },
    );
});
