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

    const before = await metrics.metrics();
    expect(before).toContain(
      'partner_release_info{version="1.2.3",sandbox_since="2026-11-01",early_reason="fixes a leak",partner_service="job-state"} 1\n',
    );
    expect(before).toContain('partner_service_ready{partner_service="job-state"} 0\n');
    expect(before).toContain(
      'partner_service_dependency_available{dependency="broker",partner_service="job-state"} 0\n',
    );
    expect(before).toContain(
      'partner_service_readiness_check{check="reached",partner_service="job-state"} 0\n',
    );
    expect(before).toContain(
      'partner_service_readiness_check{check="started",partner_service="job-state"} 1\n',
    );
    isUp = true;
    const after = await metrics.metrics();
    expect(after).toContain('partner_service_ready{partner_service="job-state"} 1\n');
    expect(after).toContain(
      'partner_service_dependency_available{dependency="broker",partner_service="job-state"} 1\n',
    );
  });
});
