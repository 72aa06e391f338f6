import { readdirSync } from 'node:fs';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import { lastLines, runCommand } from '@partner/local-stack/run-command';

/**
 * Returns Prometheus's own check of a folder with rules, `*.yaml`, and their tests, `*.test.yaml`. Without promtool it reports that
 * it was skipped, in its note for the title of a test and in the output, and finds no violation.
 */
export function createRuleCheck() {
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
        await runCommand(promtool, ['test', 'rules', ...(tests ?? [])], { cwd: folder }),
      ];
      return results
        .filter(({ exitCode, stderr }) => exitCode !== 0 || stderr !== '')
        .map((result) => lastLines(result));
    },
  };
}
