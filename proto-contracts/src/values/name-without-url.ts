import { parse } from 'tldts';

/** A scheme, `www.`, or a host or IPv4 address with a path, a query or a port: what mail programs turn into a link. */
const URL_LIKE =
  /:\/\/|\/\/|\bwww\.|[\p{L}\d-]+\.(?:\p{L}{2,}|xn--[a-z\d-]+)\.?[/?#:]|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/?#]|:\d)|\b(?:mailto|javascript|data|tel|sms|file):\S/iu;

/** Two labels with a dot between them. In lower case they are a domain, as no part of an abbreviated name is. */
const LABELS = /(?<![\p{L}\d-])([\p{L}\d-]{2,})\.(?=((?:\p{L}|xn--)[\p{L}\d-]+))/giu;
const LOWER_CASE = /^\p{Ll}{2,}/u;

/** Before a name, and after it, also where the next word is a top-level domain: `Dr.Li`, `Smith.MD`. */
const TITLE = /^(?:[DMS][Rr]|[MS][Tt]|M[Ss]|M[Rr][Ss]|P[Rr][Oo][Ff])$/u;
const CAPITALIZED = /^\p{Lu}/u;
const SUFFIX = /^(?:MD|DO|DDS|P[Hh]D|PA|PE|NP|CPA|MBA|[BM][AS]|S[Rr]|E[Ss][Qq])$/u;

export const NAME_WITH_URL =
  'must be a name, without a URL or a domain; write a space after the dot of an abbreviation';

/** Whether the name of a company has a URL. A domain alone is not one: companies are named after theirs. */
export function hasUrl(name: string): boolean {
  return URL_LIKE.test(plain(name));
}

/** Whether the name of a person has a URL or a domain: the service mails it to people who do not know its author. */
export function hasUrlOrDomain(name: string): boolean {
  const text = plain(name);
  return (
    URL_LIKE.test(text) ||
    [...text.matchAll(LABELS)].some(([, before = '', after = '']) => isDomain(before, after))
  );
}

/** Mail programs link a name under a real top-level domain in any case. */
function isDomain(before: string, after: string): boolean {
  if (LOWER_CASE.test(after)) return true;
  if (TITLE.test(before) || (CAPITALIZED.test(before) && SUFFIX.test(after))) return false;
  return parse(`domain.${after.toLowerCase()}`).isIcann === true;
}

/** As programs read it: full-width letters and dots are plain ones, and what shows nothing separates nothing. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}
