/** A permission that an endpoint asks for (spec: Authentication 5). */
export type Scope =
  | 'leads:write'
  | 'appointments:write'
  | 'jobs:read'
  | 'jobs:status:write'
  | 'jobs:schedule:write'
  | 'technicians:read'
  | 'jobs:assignment:write';

/** A group of endpoints that takes certain kinds of keys (spec: Authentication 3). */
export type Surface = 'inbound' | 'installer';

/** The kinds of API keys, as partners see them. */
export type KeyKindName = 'general' | 'installer-contractor' | 'installer-company';

/** What each kind of key may be used for. Scopes are fixed by the kind (spec: Authentication 3). */
export const KEY_KINDS: Readonly<
  Record<KeyKindName, { readonly surface: Surface; readonly scopes: readonly Scope[] }>
> = {
  general: { surface: 'inbound', scopes: ['leads:write', 'appointments:write'] },
  'installer-contractor': { surface: 'inbound', scopes: ['jobs:read', 'jobs:status:write'] },
  'installer-company': {
    surface: 'installer',
    scopes: [
      'jobs:read',
      'jobs:status:write',
      'jobs:schedule:write',
      'technicians:read',
      'jobs:assignment:write',
    ],
  },
};

/** The kinds of keys that a surface takes; with a scope, those of them that have it. */
export function keyKindsOf(surface: Surface, scope?: Scope): readonly string[] {
  return Object.entries(KEY_KINDS)
    .filter(([, kind]) => kind.surface === surface)
    .filter(([, { scopes }]) => scope === undefined || scopes.includes(scope))
    .map(([kind]) => kind);
}
