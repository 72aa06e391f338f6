import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { generatePython, installPython, PYTHON_CODE } from './python-client.js';
import { typescriptFile } from './typescript-client.js';

/**
 * Writes the generated parts of the clients. With `--check` it writes nothing, and exits with 1 if the TypeScript file is stale; a
 * test compares the Python files, because their generator is downloaded.
 */
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
  const python = await installPython();
  if (python !== undefined) await writePython(python);
}

async function writePython(python: string): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'partner-clients-'));
  try {
    await generatePython(python, scratch);
    const code = path.join(PROJECT_ROOT, PYTHON_CODE);
    rmSync(code, { recursive: true, force: true });
    cpSync(path.join(scratch, 'gen'), code, { recursive: true });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
