/** Returns the condition that a membership, given by its alias in the statement, has a way to sign in. */
export function canSignIn(member: string): string {
  return `(${member}.password_hash is not null or exists (
    select from provider_links as link where link.membership_id = ${member}.id))`;
}
