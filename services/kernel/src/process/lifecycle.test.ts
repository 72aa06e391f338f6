import { describe, expect, test } from '@jest/globals';
import { createLifecycle } from './lifecycle.js';
import { silentLogger } from '../telemetry/logger.js';

function lifecycle(graceMs = 10_000) {
  return createLifecycle({ logger: silentLogger, graceMs });
}

describe('a shutdown', () => {
  test('runs the steps once, one after another, the last added first', async () => {
    const life = lifecycle();
    const order: string[] = [];
    for (const name of ['database', 'broker', 'http']) {
      life.onShutdown(name, async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      });
    }
    expect(await Promise.all([life.shutDown(), life.shutDown()])).toEqual([true, true]);
    expect(await life.shutDown()).toBe(true);
    expect(order).toEqual([
      'http begins',
      'http ends',
      'broker begins',
      'broker ends',
      'database begins',
      'database ends',
    ]);
  });

  test('continues after a step that fails, and resolves to false', async () => {
    const life = lifecycle();
    const ran: string[] = [];
    life.onShutdown('first added', async () => {
      ran.push('first added');
    });
    life.onShutdown('failing', async () => {
      throw new Error('a failure');
    });
    expect(await life.shutDown()).toBe(false);
    expect(ran).toEqual(['first added']);
  });

  test('does not wait longer than the grace period for a step that hangs', async () => {
    const life = lifecycle(5);
    life.onShutdown('hanging', () => new Promise(() => undefined));
    expect(await life.shutDown()).toBe(false);
  });
});
