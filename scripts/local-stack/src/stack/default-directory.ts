import path from 'node:path';
import { PROJECT_ROOT } from './project-root.js';

/** Where a stack keeps its files unless someone says otherwise. */
export const DEFAULT_DIRECTORY = path.join(PROJECT_ROOT, '.stack');

/** Says otherwise for all commands of a shell. */
export const STACK_DIRECTORY_VARIABLE = 'PARTNER_STACK_DIRECTORY';
