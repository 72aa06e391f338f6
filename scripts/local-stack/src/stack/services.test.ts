import { expect, test } from '@jest/globals';
import { replicasOf, serviceOf } from './replicas.js';
import { SERVICE_NAMES, serviceSettings, type ServiceSurroundings } from './services.js';

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
