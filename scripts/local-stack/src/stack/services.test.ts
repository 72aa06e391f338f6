import { expect, test } from '@jest/globals';
import { replicasOf, serviceOf } from './replicas.js';
import { SERVICE_NAMES, serviceSettings, type ServiceSurroundings, simulatorSettings } from './services.js';

const surroundings: ServiceSurroundings = {
  baseUrl: 'http://127.0.0.1:8080',
  amqpUrl: 'amqp://broker',
  postgresUrl: 'postgres://database',
  redisUrl: 'redis://counters',
  redisKeyPrefix: 'partner:',
  sealingKeys: 'local:sealing-key',
  cursorKey: 'cursor-key',
  sessionKeys: 'local:session-key',
  devHosts: 'receiver.partner.test=127.0.0.1:9443',
  devCaFile: '/ca.pem',
  replicas: 2,
};

function holdersOf(value: string): string[] {
  return SERVICE_NAMES.filter((service) =>
    Object.values(serviceSettings(service, { admin: 1, http: 2 }, surroundings)).includes(value),
  );
}

test('only the services that need a secret receive it', () => {
  expect(holdersOf(surroundings.postgresUrl)).toEqual(['job-state']);
  expect(holdersOf(surroundings.sealingKeys)).toEqual(['job-state', 'webhook-dispatcher']);
  expect(holdersOf(surroundings.cursorKey)).toEqual(['installer-gateway']);
  expect(holdersOf(surroundings.sessionKeys)).toEqual(['console']);
  expect(holdersOf(surroundings.redisUrl)).toEqual(['inbound-gateway', 'installer-gateway', 'console']);
});

test('the simulator receives only the settings of the broker and of a sandbox', () => {
  expect(simulatorSettings({ adminPort: 1, movesPerMinute: 45 }, surroundings)).toEqual({
    PARTNER_ENVIRONMENT: 'sandbox',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '1',
    AMQP_URL: surroundings.amqpUrl,
    SHUTDOWN_GRACE_MS: '10000',
    SIMULATOR_MOVES_PER_MINUTE: '45',
  });
  expect(simulatorSettings({ adminPort: 1, movesPerMinute: 45, seed: '7' }, surroundings)).toMatchObject({
    SIMULATOR_SEED: '7',
  });
});

test('a second replica has a distinct name and belongs to the same service', () => {
  const names = replicasOf({ 'job-state': 2 }).map(({ name }) => name);

  expect(names).toEqual([
    'job-state',
    'job-state-2',
    'inbound-gateway',
    'installer-gateway',
    'console',
    'webhook-dispatcher',
  ]);
  expect(serviceOf('job-state-2')).toBe('job-state');
  expect(serviceOf('job-states')).toBeUndefined();
  expect(serviceOf('receiver')).toBeUndefined();
});
