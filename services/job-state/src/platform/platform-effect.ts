/** What a message of the platform did. Whatever is not `applied` is decided before any effect. */
export type PlatformEffect =
  | { readonly kind: 'applied' }
  /** Harmless: repeated, or older than what is in effect. */
  | { readonly kind: 'ignored'; readonly why: string }
  /** It came before what it builds on, which may still come; `missing` is the id of that. */
  | { readonly kind: 'early'; readonly missing: string }
  /** It contradicts what is recorded; somebody has to look at it. */
  | { readonly kind: 'refused'; readonly reason: string };
