import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';

/**
 * What a compiled file of a service exports, e.g. `config`. For checks that compare a service with what stands elsewhere: no
 * other code may reach into a service.
 */
export async function loadServiceModule(
  service: ServiceName,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path.join(PROJECT_ROOT, 'services', service, 'dist', `${file}.js`));
  const exported: unknown = await import(url.href);
  return z.looseObject({}).parse({ ...z.custom<object>().parse(exported) });
}
