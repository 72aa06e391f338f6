import { describe, expect, test } from '@jest/globals';
import { chooseBroker } from './choose-broker.js';
import { aStack } from './testing/a-stack.js';

const OWN = 'amqp://guest:guest@127.0.0.1/partner';
const stack = aStack(OWN);
const byVariable = (variable: string, of = stack) => chooseBroker({ option: undefined, variable }, of);
const byOption = (option: string) => chooseBroker({ option, variable: 'amqp://elsewhere/partner' }, stack);

test('the broker is the named one, else that of the stack', () => {
  expect(chooseBroker({ option: undefined, variable: undefined }, stack)).toEqual({
    amqpUrl: OWN,
    stack,
    isStackLeftOut: false,
  });
  expect(chooseBroker({ option: 'amqp://a', variable: 'amqp://b' }, undefined)).toEqual({
    amqpUrl: 'amqp://a',
    stack: undefined,
    isStackLeftOut: false,
  });
});

describe("the stack's own broker", () => {
  test.each([
    [OWN, OWN],
    ['amqp://guest:guest@127.0.0.1/', OWN],
    ['amqp://guest:guest@127.0.0.1', OWN],
    ['amqp://guest:guest@127.0.0.1:5672/%2F', 'amqp://guest:guest@127.0.0.1:5672/partner'],
    ['amqp://guest:guest@127.0.0.1/dev', OWN],
    ['amqp://olga:word@localhost', 'amqp://olga:word@localhost/partner'],
  ])('is %s as a variable', (variable, amqpUrl) => {
    expect(byVariable(variable)).toEqual({ amqpUrl, stack, isStackLeftOut: false });
  });

  test.each([
    [OWN, OWN],
    ['amqp://guest:guest@127.0.0.1/', OWN],
  ])('is %s as an option', (option, amqpUrl) => {
    expect(byOption(option)).toEqual({ amqpUrl, stack, isStackLeftOut: false });
  });

  test('may be a vhost of another name', () => {
    const other = aStack('amqp://127.0.0.1/partner-two');
    expect(byVariable('amqp://127.0.0.1', other).amqpUrl).toBe('amqp://127.0.0.1/partner-two');
    expect(byVariable('amqp://127.0.0.1/partner', other)).toMatchObject({ isStackLeftOut: true });
  });
});

describe('a broker of several nodes', () => {
  const cluster = aStack('amqp://localhost:5672/partner,amqp://localhost:5673/partner');

  test.each([
    ['amqp://127.0.0.1:5673', 'amqp://127.0.0.1:5673/partner'],
    [cluster.amqpUrl, cluster.amqpUrl],
  ])("is the stack's by %s", (variable, amqpUrl) => {
    expect(byVariable(variable, cluster)).toEqual({ amqpUrl, stack: cluster, isStackLeftOut: false });
  });

  test('is another one if a node of it is', () => {
    const variable = `${cluster.amqpUrl},amqp://production.example/partner`;
    expect(byVariable(variable, cluster)).toMatchObject({ amqpUrl: variable, isStackLeftOut: true });
  });
});

describe('another broker disables the stack', () => {
  test.each([
    'amqp://guest:guest@production.example/partner',
    'amqp://guest:guest@127.0.0.1:5673/partner',
    'amqps://guest:guest@127.0.0.1/partner',
    'amqp://guest:guest@127.0.0.1/partner-two',
    'no url',
    '',
  ])('%s as a variable', (variable) => {
    expect(byVariable(variable)).toEqual({ amqpUrl: variable, stack: undefined, isStackLeftOut: true });
  });

  test.each(['amqp://production.example/partner', 'amqp://127.0.0.1/dev'])('%s as an option', (option) => {
    expect(byOption(option)).toEqual({ amqpUrl: option, stack: undefined, isStackLeftOut: true });
  });
});
