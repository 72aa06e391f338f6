import { z } from 'zod';

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";

const QUOTED = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

const TOP_LABEL = '[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]';

/** A mailbox of RFC 5321 at a domain of two labels or more: at most 64 octets, as a dot-atom or quoted, before the last `@`. */
const MAILBOX = new RegExp(
  `^(?=.{1,64}@[^@"]*$)(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${LABEL}\\.)+${TOP_LABEL}$`,
);

/** An input email address: JSON Schema's format `email`, without address literals and single-label hosts. */
export const emailAddress = z
  .email({
    pattern: MAILBOX,
    error: ({ input }) => (typeof input === 'string' ? expectation(input) : undefined),
  })
  .max(254)
  .meta({
    description:
      'In ASCII; write an internationalized domain in Punycode (`xn--…`). At most 64 characters before the `@`.',
  });

function expectation(text: string): string {
  return /^\p{ASCII}*$/u.test(text)
    ? 'must be an email address, e.g. ada@example.com'
    : 'must be an email address in ASCII; write an internationalized domain in Punycode, e.g. ada@xn--bcher-kva.example';
}
