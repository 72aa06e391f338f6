import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readRequirements, type Requirement } from './read-requirements.js';

/** The root of the project. */
export const PROJECT_ROOT = path.resolve(import.meta.dirname, '../../../..');

const FOLDER = 'proto-contracts/spec';

/** Everything that the specification says. */
export function specification(): Requirement[] {
  return read('', 'partner-integration-service.md');
}

/** Everything that the decisions on what the specification leaves open say, under `Decisions`. */
export function decisions(): Requirement[] {
  return read('Decisions', 'decisions.md');
}

function read(name: string, file: string): Requirement[] {
  return readRequirements(name, readFileSync(path.join(PROJECT_ROOT, FOLDER, file), 'utf8'));
}
