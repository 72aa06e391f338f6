import path from 'node:path';
import { PROJECT_ROOT } from '../project-root.js';

export const DEFAULT_DIRECTORY = path.join(PROJECT_ROOT, '.stack');

/** The variable that changes it for all commands of a shell. */
export const STACK_DIRECTORY_VARIABLE = 'PARTNER_STACK_DIRECTORY';
