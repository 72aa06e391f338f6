import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { lastLines, runCommand } from '../run-command.js';
import { StackError } from '../stack-error.js';
import { PROJECT_ROOT } from '../project-root.js';
import { sandboxCompany, type SandboxCompany } from './stack-description.js';

export async function migrateAndSeed(
  env: Readonly<Record<string, string>>,
): Promise<readonly SandboxCompany[]> {
  await runJobStateCommand('migrate', env);
  // The data are invented, even if a test runs the services with the settings of production.
  const seeded = await runJobStateCommand('seed-sandbox', { ...env, PARTNER_ENVIRONMENT: 'sandbox' });
  return z.array(sandboxCompany).parse(JSON.parse(seeded));
}

async function runJobStateCommand(
  command: 'migrate' | 'seed-sandbox',
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const file = path.join(PROJECT_ROOT, 'services/job-state/dist', `${command}.js`);
  if (!existsSync(file)) throw new StackError(`${file} is missing; build with: npm run build`);
  const result = await runCommand(process.execPath, ['--enable-source-maps', file], {
    cwd: PROJECT_ROOT,
    env,
  });
  if (result.exitCode !== 0) throw new StackError(`job-state's ${command} failed:\n${lastLines(result)}`);
  return result.stdout;
}
