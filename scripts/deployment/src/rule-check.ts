import { readdirSync } from 'node:fs';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import { lastLines, runCommand } from '@partner/local-stack/run-command';

/** Prometheus's own check of a folder with rules, `*.yaml`, and their tests, `*.test.yaml`. */
export interface RuleCheck {
  /** Empty, or why nothing is checked, for the title of a test. */
  readonly note: string;
  /** What is wrong with a folder; empty without promtool. */
  readonly faults: (folder: string) => Promise<readonly string[]>;
}

/** Without promtool, the empty program, the check says that it was left out, in its note and in the output. */
export function createRuleCheck(
  promtool = findProgram('promtool') ?? '',
  tell: (line: string) => void = (line) => process.stdout.write(line),
): RuleCheck {
  if (promtool === '') {
    tell('alerts: their rules and cases were left out: promtool is not installed\n');
    return { note: ' (left out: promtool is not installed)', faults: async () => [] };
  }
  return {
    note: '',
    async faults(folder) {
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
