import { expect, test } from '@jest/globals';
import { installMissingParts } from './install-missing-parts.js';

type Installable = 'postgres' | 'rabbitmq' | 'redis' | 'chromium' | 'promtool' | 'docker' | 'mmdebstrap';

function machineWith(installed: readonly Installable[], result?: 'installs' | 'pretends') {
  const has = new Set(installed);
  const asked: (readonly Installable[])[] = [];
  return {
    asked,
    isInstalled: (part: Installable) => has.has(part),
    packageTool: async () =>
      result === undefined
        ? undefined
        : {
            name: 'a tool',
            manually: (parts: readonly Installable[]) => `tool add ${parts.join(' ')}`,
            install: async (parts: readonly Installable[]) => {
              asked.push(parts);
              if (result === 'installs') for (const part of parts) has.add(part);
            },
          },
  };
}

test('does not install an existing program again', async () => {
  const machine = machineWith(['redis'], 'installs');

  await installMissingParts(undefined, undefined, machine);
  await installMissingParts(undefined, undefined, machine);

  expect(machine.asked).toEqual([['postgres', 'rabbitmq']]);
});

test('does not install a part that is not needed', async () => {
  const machine = machineWith([], 'installs');

  await installMissingParts(undefined, ['redis'], machine);

  expect(machine.asked).toEqual([['redis']]);
});

test('with no way to install it, one message names what is missing and how to get it', async () => {
  const failure = installMissingParts(undefined, undefined, machineWith(['postgres']));

  await expect(failure).rejects.toThrow(
    /^not installed: RabbitMQ, Redis\. .*apt-get install rabbitmq-server redis-server.*Docker.*AMQP_URL/,
  );
});

test('rejects if a tool exits with 0 but has installed nothing', async () => {
  const failure = installMissingParts(
    undefined,
    undefined,
    machineWith(['postgres', 'rabbitmq'], 'pretends'),
  );

  await expect(failure).rejects.toThrow('there is still no Redis; try it yourself: tool add redis');
});

test('installs a browser only on request, and accepts no server instead of it', async () => {
  const machine = machineWith(['postgres', 'rabbitmq', 'redis'], 'installs');
  await installMissingParts(undefined, undefined, machine);
  await installMissingParts(undefined, ['postgres', 'chromium'], machine);
  expect(machine.asked).toEqual([['chromium']]);

  const failure = installMissingParts(undefined, ['chromium'], machineWith([]));
  await expect(failure).rejects.toThrow(/^not installed: Chromium\. .*apt-get install chromium; .*\)$/);
});
