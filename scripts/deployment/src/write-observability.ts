import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { observabilityFiles } from './observability-files.js';

// Writes the alerts and dashboards of all charts; `npm run format` has to follow.
for (const [file, content] of observabilityFiles()) {
  const target = path.join(PROJECT_ROOT, file);
  mkdirSync(path.dirname(target), { recursive: true });
  const text = file.endsWith('.json')
    ? JSON.stringify(content, undefined, 2)
    : stringify(content, { lineWidth: 0, aliasDuplicateObjects: false });
  writeFileSync(target, `${text.trimEnd()}\n`);
}
