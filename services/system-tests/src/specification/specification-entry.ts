/**
 * What there is to say of one requirement. At least one of `provedBy`, `requiresNothing` and `notBuiltYet` is given, and the last
 * two stand alone.
 */
export interface SpecificationEntry {
  /** Where the requirement stands; see `Requirement`. */
  readonly at: string;
  /** Its whole text, so that a changed text is noticed. */
  readonly says: string;
  /** The tests that fail when the requirement is broken: titles (`group > test`) by file. */
  readonly provedBy?: Readonly<Record<string, readonly string[]>>;
  /** Why nothing is required of the service. */
  readonly requiresNothing?: string;
  /** The part of the product that nothing is there of yet. */
  readonly notBuiltYet?: string;
  /** The part of the product that the requirement speaks of too, and that the tests can not show before it is built. */
  readonly awaits?: string;
}
