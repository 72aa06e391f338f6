import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type SentUrl, sentUrl } from '@partner/proto-contracts/resources/subscription/endpoint-url';
import { publicAddress } from './address-rules.js';
import type { HostResolver } from './host-resolver.js';

export interface DialTarget {
  /** An IP address, never a name. */
  readonly address: string;
  readonly port: number;
}

/** Development only: host names whose connections go to an address, or to a name that the system resolves, e.g. of a service of a cluster. */
export type DevHosts = ReadonlyMap<string, { readonly host: string; readonly port: number }>;

export interface AdmittedEndpoint {
  /** The URL in the form in which it is stored, shown and sent. */
  readonly url: SentUrl;
  /** The name that the certificate must match: a DNS name, or an address without brackets. */
  readonly hostName: string;
  /** Vetted targets, at least one. Connect to them without another lookup. */
  readonly targets: readonly DialTarget[];
  /** Duration of the DNS lookup, in ms; absent if there was none. */
  readonly lookupMs?: number | undefined;
}

export const REFUSAL_CAUSES = ['url', 'address', 'no_address', 'lookup_failed'] as const;

export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

type EndpointVerdict =
  | { readonly admitted: true; readonly endpoint: AdmittedEndpoint }
  | { readonly admitted: false; readonly cause: RefusalCause };

/** Decides which endpoints webhooks may be sent to. Runs when a subscription is created and before every delivery. */
export interface EndpointGuard {
  /** Applies the URL rules and resolves the host once. Never throws. */
  admit(url: string): Promise<EndpointVerdict>;
}

/**
 * Refusal texts for owners: the rule that the URL breaks. They never name an address, nor reveal whether a server
 * listens there.
 */
export const ENDPOINT_REFUSALS: Readonly<Record<RefusalCause, string>> = {
  url:
    'must be an https URL on port 443 with a public host name, at most 2048 characters long, ' +
    'without credentials, fragment, spaces, backslashes, invisible characters or encoded characters in the host',
  address:
    'has a host that is not reachable from the internet: its address is private, loopback, link-local or reserved',
  no_address: 'has a host that does not resolve',
  lookup_failed: 'has a host that cannot be resolved now: its name servers did not respond. Retry later',
};

const ENDPOINT_PORT = 443;
const MAX_URL_LENGTH = 2_048;
const MAX_HOST_NAME_LENGTH = 253;
const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Control, invisible and unpaired characters, all whitespace, backslashes and fragments. */
const MISREAD_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\s\\#]/u;
/**
 * Captures host and port. A query directly after the host must not hold `@`: some parsers look for credentials before
 * it.
 */
const ENDPOINT_URL = /^https:\/\/([^/?@%]+)(?:\/|\?[^@]*$|$)/i;

/** Domain suffixes that a machine or a private network resolves itself. None is public. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'localdomain4',
  'localdomain6',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'svc',
  'default',
  'metadata.goog',
];
const PRIVATE_NAME = new RegExp(
  `(?:^|\\.)(?:${PRIVATE_SUFFIXES.map((suffix) => suffix.replaceAll('.', '\\.')).join('|')})$`,
);

/**
 * Creates the guard (spec: Subscription URL rules). One address that is not public refuses the whole endpoint. A host
 * in `devHosts` must obey the URL rules, but is not vetted.
 */
export function createEndpointGuard(deps: {
  readonly resolveHost: HostResolver;
  readonly devHosts?: DevHosts | undefined;
}): EndpointGuard {
  return {
    async admit(text) {
      const parsed = parseEndpointUrl(text);
      if (parsed === undefined) return { admitted: false, cause: 'url' };

      const devHost = deps.devHosts?.get(parsed.hostName);
      if (devHost !== undefined) {
        const found = await lookup(devHost.host).catch(() => undefined);
        if (found === undefined) return { admitted: false, cause: 'lookup_failed' };
        const target = { address: found.address, port: devHost.port };
        return { admitted: true, endpoint: { ...parsed, targets: [target] } };
      }

      let addresses: readonly string[] = [parsed.hostName];
      let lookupMs: number | undefined;
      if (isIP(parsed.hostName) === 0) {
        const begin = performance.now();
        try {
          addresses = await deps.resolveHost(parsed.hostName);
        } catch {
          return { admitted: false, cause: 'lookup_failed' };
        }
        lookupMs = Math.round(performance.now() - begin);
      }
      if (addresses.length === 0) return { admitted: false, cause: 'no_address' };

      const targets: DialTarget[] = [];
      for (const address of addresses) {
        const vetted = publicAddress(address);
        if (vetted === undefined) return { admitted: false, cause: 'address' };
        targets.push({ address: vetted, port: ENDPOINT_PORT });
      }
      return { admitted: true, endpoint: { ...parsed, targets, lookupMs } };
    },
  };
}

/**
 * Applies the URL rules that need no lookup, and returns the URL as it is sent (URL-4). Only the text of the host decides where a
 * POST goes; path and query are sent as they are.
 * Returns undefined for a refused URL. It checks the text itself for characters and forms that parsers read differently:
 * spaces, control and invisible characters, backslashes, fragments, escapes in the host, and an IPv4 address in other
 * than four decimal parts.
 */
function parseEndpointUrl(text: string): { readonly url: SentUrl; readonly hostName: string } | undefined {
  if (text.length > MAX_URL_LENGTH || MISREAD_CHARACTER.test(text)) return undefined;
  const authority = ENDPOINT_URL.exec(text)?.[1];
  const url = authority === undefined ? undefined : sentUrl(text);
  if (authority === undefined || url === undefined || url.text.length > MAX_URL_LENGTH) return undefined;
  // What is dialled is the host of the text that is stored and sent.
  const { port, hostname: name } = new URL(url.text);
  if (port !== '') return undefined;

  if (isIPv4(name))
    return authority.replace(/\.?(?::\d*)?$/, '') === name ? { url, hostName: name } : undefined;
  if (name.startsWith('[')) return { url, hostName: name.slice(1, -1) };
  return isPublicName(name) ? { url, hostName: name } : undefined;
}

function isPublicName(name: string): boolean {
  const labels = name.split('.');
  return (
    name.length <= MAX_HOST_NAME_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => HOST_LABEL.test(label)) &&
    !PRIVATE_NAME.test(name)
  );
}
