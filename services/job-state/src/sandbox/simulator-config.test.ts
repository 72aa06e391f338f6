import { expect, test } from '@jest/globals';
import { ConfigError, parseConfig } from '@partner/kernel/process/config';
import { simulatorConfig } from './simulator-config.js';

const settings = { PARTNER_ENVIRONMENT: 'sandbox', AMQP_URL: 'amqp://broker' };

test('the simulator defaults to 30 moves a minute and a random seed', () => {
  const [one, other] = [parseConfig(simulatorConfig, settings), parseConfig(simulatorConfig, settings)];
  expect(one).toMatchObject({ SIMULATOR_MOVES_PER_MINUTE: 30, PARTNER_ENVIRONMENT: 'sandbox' });
  expect(one.SIMULATOR_SEED).not.toBe(other.SIMULATOR_SEED);
});

test.each([
  ['PARTNER_ENVIRONMENT', 'production', 'must be sandbox'],
  ['SIMULATOR_MOVES_PER_MINUTE', '0', 'from 1 to 6000'],
  ['SIMULATOR_MOVES_PER_MINUTE', '6001', 'from 1 to 6000'],
])('the simulator does not start with %s=%s', (name, value, message) => {
  const parse = () => parseConfig(simulatorConfig, { ...settings, [name]: value });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(message);
});
