/**
 * Patterns of addresses and hosts, as text of regular expressions with the flag `u`. The schemas of the charts hold them too, and Helm
 * knows no look-around.
 */
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const HEXTET = '[0-9A-Fa-f]{1,4}';
const LABEL = '[\\p{L}\\p{N}_]([\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?';
/** The last label of a host that is not an IPv4 address. */
const LAST_LABEL = '\\p{L}([\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}])?';

export const IPV4 = `(${OCTET}\\.){3}${OCTET}`;

/** An IPv6 address, without a zone. */
export const IPV6 = `((${HEXTET}:){7}(${HEXTET}|:)|${[1, 2, 3, 4, 5, 6]
  .map((before) => `(${HEXTET}:){${before}}((:${HEXTET}){1,${7 - before}}|:)`)
  .join('|')}|:((:${HEXTET}){1,7}|:))`;

/** A TCP or UDP port from 1. */
export const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';

/** The host of a URL, with an optional port. */
export const HOST_AND_PORT = `((${LABEL}\\.)*${LAST_LABEL}\\.?|${IPV4}|\\[${IPV6}\\])(:${PORT})?`;

export const ADDRESS_AND_PORT = `(${IPV4}|\\[${IPV6}\\]):${PORT}`;

/** The beginning of a plain HTTP URL of this machine. */
export const LOOPBACK_HTTP = `http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:${PORT})?`;
