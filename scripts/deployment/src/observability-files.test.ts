import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '@partner/local-stack/project-root';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, runbookHeading, RUNBOOKS_FILE } from './alerts/alert.js';
import { CHART_ALERTS } from './alerts/chart-alerts.js';
import { renderRuleTests, rulesOfCases } from './alerts/render-alerts.js';
import { createChartWorkspace, NAMESPACE } from './chart-workspace.js';
import { imageOf, SANDBOX_RUN } from './service-values.js';

const alerts = [...CHART_ALERTS.values()].flat();
const ruleCheck = createRuleCheck();

const rule = z.looseObject({
  ...{ alert: z.string().optional(), expr: z.string() },
  labels: z.record(z.string(), z.string()),
});
const ruleFile = z.object({ groups: z.array(z.looseObject({ rules: z.array(rule) })) });

describe('an alert', () => {
  test.each(alerts.map((alert) => [alert.name, alert] as const))(
    '%s has a case that fires and one that does not',
    (_name, { cases }) => {
      expect(cases.filter(({ firing }) => firing.length > 0).length).toBeGreaterThan(0);
      expect(cases.filter(({ firing }) => firing.length === 0).length).toBeGreaterThan(0);
    },
  );

  test('has a section in the runbooks with its meaning and what to do, and no section is without an alert', () => {
    const sections = readProjectFile(RUNBOOKS_FILE)
      .split(/^## /m)
      .slice(1)
      .map((section) => ({ heading: section.slice(0, section.indexOf('\n')), text: section }));
    expect(new Set(sections.map(({ heading }) => heading))).toEqual(
      new Set(alerts.map((alert) => runbookHeading(alert))),
    );
    for (const alert of alerts) {
      const { text = '' } = sections.find(({ heading }) => heading === runbookHeading(alert)) ?? {};
      expect(text).toContain(`\`${alert.name}\`, ${alert.severity}, `);
      for (const part of ['**For partners:**', '**Look at:**', /\*\*[Dd]o/]) expect(text).toMatch(part);
    }
  });
});

describe('promtool', () => {
  test(`each alert satisfies its cases, independently of other namespaces${ruleCheck.note}`, async () => {
    const workspace = await createChartWorkspace();
    const folder = mkdtempSync(path.join(tmpdir(), 'partner-rules-'));
    const violationsOf = async ([service, own]: readonly [ServiceName, readonly Alert[]]) => {
      const objects = await workspace.objects({
        chart: service,
        valuesFiles: ['values-production.yaml'],
        values: { image: imageOf(service), sandboxRun: SANDBOX_RUN },
      });
      const { groups } = ruleFile.parse(objects.find(({ kind }) => kind === 'PrometheusRule')?.['spec']);
      const rules = path.join(folder, service);
      mkdirSync(rules);
      for (const alert of own) {
        // Promtool evaluates all rules of a file: only the alert, and what is recorded if it reads that.
        const names = [alert.name, ...(alert.expr.includes('partner:') ? [undefined] : [])];
        const alone = groups.map((group) => ({
          ...group,
          rules: rulesOfCases(
            alert,
            group.rules.filter((each) => names.includes(each.alert)),
            NAMESPACE,
          ),
        }));
        const cases = renderRuleTests(alert, `${alert.name}.yaml`);
        writeFileSync(path.join(rules, `${alert.name}.yaml`), stringify({ groups: alone }));
        writeFileSync(
          path.join(rules, `${alert.name}.test.yaml`),
          stringify(cases, { aliasDuplicateObjects: false }),
        );
      }
      return ruleCheck.violations(rules);
    };
    try {
      expect((await Promise.all([...CHART_ALERTS].map(violationsOf))).flat()).toEqual([]);
    } finally {
      workspace.remove();
      rmSync(folder, { recursive: true });
    }
  });
});

/**
 * Returns Prometheus's own check of a folder with rules, `*.yaml`, and their tests, `*.test.yaml`. Without promtool it reports that
 * it was skipped, in its note for the title of a test and in the output, and finds no violation.
 */
function createRuleCheck() {
  const promtool = findProgram('promtool');
  if (promtool === undefined) {
    process.stdout.write('alerts: their rules and cases were skipped: promtool is not installed\n');
    return { note: ' (skipped: promtool is not installed)', violations: async () => [] };
  }
  return {
    note: '',
    async violations(folder: string) {
      const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
      const [tests, rules] = [true, false].map((isTest) =>
        files.filter((file) => file.endsWith('.test.yaml') === isTest),
      );
      const results = [
        await runCommand(promtool, ['check', 'rules', ...(rules ?? [])], { cwd: folder }),
        await runCommand(promtool, ['test', 'rules', ...(tests ?? [])], {
          cwd: folder,
          env: { GOGC: '400' },
        }),
      ];
      return results
        .filter(({ exitCode, stderr }) => exitCode !== 0 || stderr !== '')
        .map((result) => lastLines(result));
    },
  };
}
