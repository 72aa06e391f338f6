import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { typescriptFile } from './typescript-client.js';

/** Writes the generated parts of the clients. With `--check` it writes nothing, and exits with 1 if a file is stale. */
const file = path.join(PROJECT_ROOT, typescriptFile.path);
const generated = await typescriptFile.generate();
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== generated) {
    process.stdout.write(`${typescriptFile.path} is stale; run 'npm run generate'\n`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, generated);
}
