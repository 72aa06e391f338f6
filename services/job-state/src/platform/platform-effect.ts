/** What a message of the platform did. Whatever is not `applied` has no effect beyond what was heard of. */
export type PlatformEffect =
  /** `appeared`: ids of what is there from now on, for which other messages may have waited. */
  | { readonly kind: 'applied'; readonly appeared?: readonly string[] }
  /** Harmless: repeated, or older than what is in effect. */
  | { readonly kind: 'ignored'; readonly why: string }
  /** It came before what it builds on, which may still come; `missing` is the id of that. */
  | { readonly kind: 'early'; readonly missing: string }
  /** It contradicts what is recorded; somebody has to look at it. The reason holds ids and states, never personal data. */
  | { readonly kind: 'refused'; readonly reason: string };
