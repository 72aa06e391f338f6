/** What a message of the platform did. Whatever is not `applied` has no effect beyond what was heard of. */
export type PlatformEffect =
  /** `appeared`: ids of what is there, or is another than before, from now on: other messages may have waited for that. */
  | { readonly kind: 'applied'; readonly appeared?: readonly string[] }
  /** Harmless: repeated, or older than what is in effect. */
  | { readonly kind: 'ignored'; readonly why: string }
  /**
   * It came before what it builds on, which may still come; `missing` is the id of that, or of the membership that has the email
   * address which is wanted. `appeared`: ids of what is known to be another than before by its mere waiting.
   */
  | { readonly kind: 'early'; readonly missing: string; readonly appeared?: readonly string[] }
  /** It contradicts what is recorded; somebody has to look at it. The reason holds ids and states, never personal data. */
  | { readonly kind: 'refused'; readonly reason: string };
