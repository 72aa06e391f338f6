import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { generatePython, installPython, PYTHON_CODE } from './python-client.js';

/** Writes the generated part of the Python client. That of the TypeScript client is made by the build. */
const python = await installPython();
if (python !== undefined) {
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
