/** A scheme, `www.`, or a host or IPv4 address with a path, a query or a port: what mail programs turn into a link. */
const URL_LIKE =
  /:\/\/|\/\/|\bwww\.|[\p{L}\d-]+\.(?:\p{L}{2,}|xn--[a-z\d-]+)\.?[/?#:]|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/?#]|:\d)|\b(?:mailto|javascript|data|tel|sms|file):\S/iu;

/**
 * A bare domain: its last label is in lower case, as no part of an abbreviated name is, or a common top-level domain. So are
 * two letters, as of every country, and capitals, unless a title is before them.
 */
const LOWER_CASE_DOMAIN = /[\p{L}\d-]{2,}\.\p{Ll}{2,}(?![\p{L}\d])/u;
const COMMON_DOMAIN =
  /[\p{L}\d-]{2,}\.(?:com|net|org|info|biz|io|app|dev|xyz|top|site|online|shop|link|click)(?![\p{L}\d])/iu;
const CAPITAL_DOMAIN =
  /(?<![\p{L}\d-])(?!(?:[DMS][Rr]|[MS][Tt]|M[Ss]|M[Rr][Ss]|P[Rr][Oo][Ff])\.)[\p{L}\d-]{2,}\.(?:[A-Za-z]{2}|\p{Lu}[\p{Lu}\d-]+)(?![\p{L}\d])/u;

export const NAME_WITH_URL = 'must be a name, without a URL or a domain';

/** Whether the name of a company has a URL. A domain alone is not one: companies are named after theirs. */
export function hasUrl(name: string): boolean {
  return URL_LIKE.test(plain(name));
}

/** Whether the name of a person has a URL or a domain: the service mails it to people who do not know its author. */
export function hasUrlOrDomain(name: string): boolean {
  const text = plain(name);
  return [URL_LIKE, LOWER_CASE_DOMAIN, COMMON_DOMAIN, CAPITAL_DOMAIN].some((form) => form.test(text));
}

/** As programs read it: full-width letters and dots are plain ones, and what shows nothing separates nothing. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}
