/** Effect of a platform message. Only `applied` changes anything beyond the record of messages. */
export type PlatformEffect =
  /** `appeared`: ids of resources that were created or changed: other messages may wait for them. */
  | { readonly kind: 'applied'; readonly appeared?: readonly string[] }
  /** Harmless: repeated, or older than the state in effect. */
  | { readonly kind: 'ignored'; readonly why: string }
  /**
   * It arrived before its prerequisite, which may still come.
   *
   * `missing` is the id of the prerequisite, or of the membership that has the requested email address. `appeared`: ids of
   * resources that changed because this message waits.
   */
  | { readonly kind: 'early'; readonly missing: string; readonly appeared?: readonly string[] }
  /** It contradicts recorded data; a person must investigate. The reason has ids and states, never personal data. */
  | { readonly kind: 'refused'; readonly reason: string };
