import { afterEach, describe, test } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import request from 'supertest';
import { startAdminServer } from './admin-server.js';
import { createLifecycle } from './lifecycle.js';
import { silentLogger } from '../telemetry/logger.js';

describe('the admin server', () => {
  const running: { close: () => Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close()));
  });

  async function start() {
    const lifecycle = createLifecycle({ logger: silentLogger, graceMs: 10_000 });
    const metrics = new Registry();
    const server = await startAdminServer({ host: '127.0.0.1', port: 0, lifecycle, metrics });
    running.push(server);
    return { url: `http://127.0.0.1:${server.port}`, lifecycle, metrics };
  }

  test('is alive without its dependencies, and ready once started and every dependency was reached; it names a lost one [HTTP-20]', async () => {
    const { url, lifecycle } = await start();
    let isUp = false;
    lifecycle.addDependency('broker', () => isUp);
    await request(url).get('/livez').expect(200, { alive: true });
    lifecycle.started();
    const checks = { started: true, accepting: true, reached: false };
    await request(url)
      .get('/readyz')
      .expect(503, { ready: false, checks, dependencies: { broker: false } });
    isUp = true;
    await request(url).get('/readyz').expect('cache-control', 'no-store').expect(200);
    isUp = false;
    await request(url)
      .get('/readyz')
      .expect(200, { ready: true, checks: { ...checks, reached: true }, dependencies: { broker: false } });
  });

  test('is not ready while draining, though it still responds', async () => {
    const { url, lifecycle } = await start();
    lifecycle.started();
    let finish: () => void = () => undefined;
    lifecycle.onShutdown('slow', () => new Promise((resolve) => (finish = resolve)));
    const shutdown = lifecycle.shutDown();
    await request(url)
      .get('/readyz')
      .expect(503, {
        ready: false,
        checks: { started: true, accepting: false, reached: true },
        dependencies: {},
      });
    await request(url).get('/livez').expect(200);
    finish();
    await shutdown;
  });

  test('shows the metrics', async () => {
    const { url, metrics } = await start();
    new Counter({ name: 'partner_things_total', help: 'Things', registers: [metrics] }).inc(3);
    await request(url)
      .get('/metrics')
      .expect('content-type', metrics.contentType)
      .expect(200, /partner_things_total 3/);
  });
});
