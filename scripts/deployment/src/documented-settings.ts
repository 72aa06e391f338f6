import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { INGRESS_PATHS, SERVICE_NAMES } from '@partner/local-stack/stack/services';

/** The page with the settings, from the root of the project. */
export const SETTINGS_PAGE = 'charts/docs/settings.md';

/** Words of the table for several services. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: SERVICE_NAMES,
  gateways: SERVICE_NAMES.filter((name) => INGRESS_PATHS[name] !== undefined && name !== 'console'),
};

/**
 * The settings that the table of charts/docs/settings.md names, by reader: a service, or another program as it is written there.
 * A name that ends with `*` stands for all that begin with it.
 */
export function documentedSettings(
  text = readFileSync(path.join(PROJECT_ROOT, SETTINGS_PAGE), 'utf8'),
): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  for (const [, who = '', named = ''] of text.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)) {
    const names = [...named.matchAll(/`([A-Z][A-Z0-9_]*\*?)`/g)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    for (const word of who.split(',').map((part) => part.replaceAll('`', '').trim())) {
      for (const reader of GROUPS[word] ?? [word]) {
        settings.set(reader, [...(settings.get(reader) ?? []), ...names]);
      }
    }
  }
  return settings;
}
