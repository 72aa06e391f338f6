import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
