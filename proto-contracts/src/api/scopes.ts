/** A permission that an endpoint requires (spec: Authentication 5). */
export type Scope =
  | 'leads:write'
  | 'appointments:write'
  | 'jobs:read'
  | 'jobs:status:write'
  | 'jobs:schedule:write'
  | 'technicians:read'
  | 'jobs:assignment:write'
  | 'events:read'
  | 'events:replay'
  | 'webhooks:read'
  | 'deliveries:read'
  | 'deliveries:retry'
  | 'statistics:read'
  | 'audit:read'
  | 'webhooks:propose';

/** A group of endpoints that accepts certain kinds of keys (spec: Authentication 3). */
export type Surface = 'inbound' | 'installer' | 'automation';

export type KeyKindName = 'general' | 'installer-contractor' | 'installer-company' | 'automation';

/** Surface and scopes of each kind of key; the kind determines both (spec: Authentication 3). */
export const KEY_KINDS: Readonly<
  Record<KeyKindName, { readonly surface: Surface; readonly scopes: readonly Scope[] }>
> = {
  general: {
    surface: 'inbound',
    scopes: ['leads:write', 'appointments:write', 'events:read', 'events:replay'],
  },
  'installer-contractor': { surface: 'inbound', scopes: ['jobs:read', 'jobs:status:write'] },
  'installer-company': {
    surface: 'installer',
    scopes: [
      'jobs:read',
      'jobs:status:write',
      'jobs:schedule:write',
      'technicians:read',
      'jobs:assignment:write',
      'events:read',
      'events:replay',
    ],
  },
  automation: {
    surface: 'automation',
    scopes: [
      'webhooks:read',
      'deliveries:read',
      'deliveries:retry',
      'statistics:read',
      'audit:read',
      'webhooks:propose',
    ],
  },
};

/** Returns the kinds of keys that a surface accepts; with a scope, only those that have it. */
export function keyKindsOf(surface: Surface, scope?: Scope): readonly string[] {
  return Object.entries(KEY_KINDS)
    .filter(([, kind]) => kind.surface === surface)
    .filter(([, { scopes }]) => scope === undefined || scopes.includes(scope))
    .map(([kind]) => kind);
}
