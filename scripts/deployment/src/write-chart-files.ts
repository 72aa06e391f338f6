import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { chartFiles } from './chart-files.js';

// Writes every generated file of the charts. With --check it only lists the stale ones, and exits with 1 if there are any.
const isCheck = process.argv.includes('--check');
for (const [file, text] of await chartFiles()) {
  const target = path.join(PROJECT_ROOT, file);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  if (isCheck) {
    process.stdout.write(`${file} is stale: run 'npm run generate'\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
