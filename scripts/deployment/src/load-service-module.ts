import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';

/**
 * Returns the exports of a compiled file of a service, e.g. `config`. Only checks that compare a service with other files
 * may use it: no other code may import from a service.
 */
export async function loadServiceModule(
  service: ServiceName,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path.join(PROJECT_ROOT, 'services', service, 'dist', `${file}.js`));
  const exported: unknown = await import(url.href);
  return z.looseObject({}).parse({ ...z.custom<object>().parse(exported) });
}
