import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLifecycle } from './lifecycle.js';
import { silentLogger } from '../telemetry/logger.js';
import { registerServiceMetrics } from './service-metrics.js';

const RELEASE = { version: '1.2.3', sandboxSince: '2026-11-01', earlyReason: 'fixes a leak' };

describe('the metrics that every service has', () => {
  test('report whether it is ready, which condition fails and which dependency is down [VERSION-5]', async () => {
    const metrics = new Registry();
    const lifecycle = createLifecycle({ logger: silentLogger, graceMs: 10_000 });
    registerServiceMetrics(metrics, { service: 'job-state', lifecycle, release: RELEASE });
    let isUp = false;
    lifecycle.addDependency('broker', () => isUp);
    lifecycle.started();

    const reported = async () => (await metrics.metrics()).replaceAll('partner_service="job-state"', '');
    for (const value of [
      'release_info{version="1.2.3",sandbox_since="2026-11-01",early_reason="fixes a leak",} 1',
      'service_ready{} 0',
      'service_dependency_available{dependency="broker",} 0',
      'service_readiness_check{check="reached",} 0',
      'service_readiness_check{check="started",} 1',
    ])
      expect(await reported()).toContain(`partner_${value}\n`);
    isUp = true;
    for (const value of ['service_ready{} 1', 'service_dependency_available{dependency="broker",} 1'])
      expect(await reported()).toContain(`partner_${value}\n`);
  });
});
