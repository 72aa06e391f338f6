import { isIP } from 'node:net';
import { publicAddress } from './address-rules.js';
import type { HostResolver } from './host-resolver.js';

/** Where a connection goes. */
export interface DialTarget {
  /** An address, never a name. */
  readonly address: string;
  readonly port: number;
}

/** Development only: host names whose connections go to a fixed place instead of to what DNS says. */
export type DevHosts = ReadonlyMap<string, DialTarget>;

/** An endpoint that one delivery may be sent to, now. */
export interface AdmittedEndpoint {
  /** The normalised URL. */
  readonly url: URL;
  /** The name that the certificate must be for: a DNS name, or an address without brackets. */
  readonly hostName: string;
  /** Vetted places to connect to, at least one. To be dialled as they are, without another lookup. */
  readonly targets: readonly DialTarget[];
}

/** Why an endpoint was refused: for the log, never for the owner, who could map our network with it. */
export type RefusalCause = 'url' | 'address' | 'no_address' | 'lookup_failed';

/** What the guard says of an endpoint. */
export type EndpointVerdict =
  | { readonly admitted: true; readonly endpoint: AdmittedEndpoint }
  | { readonly admitted: false; readonly cause: RefusalCause };

/** Decides where webhooks may go. Asked at creation of a subscription and again for every delivery. */
export interface EndpointGuard {
  /** Applies the URL rules and looks the host up once. Never throws. */
  admit(url: string): Promise<EndpointVerdict>;
}

/** What an owner is told of a refusal, whatever its cause: it must not tell apart what stands at an address. */
export const ENDPOINT_REFUSAL =
  'the endpoint must be an https URL on port 443, without credentials or fragment, at most 2048 characters long, ' +
  'whose host resolves, and to public addresses only';

const ENDPOINT_PORT = 443;
const MAX_URL_LENGTH = 2_048;
const MAX_HOST_NAME_LENGTH = 253;
const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Names, with all below them, that mean something on a machine or in a private network. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'home.arpa',
  'svc',
  'svc.cluster.local',
  'metadata.goog',
];

/**
 * Makes the guard (spec: Subscription URL rules). One address that is not public refuses the whole endpoint. A host in
 * `devHosts` keeps the URL rules but is neither looked up nor vetted.
 */
export function createEndpointGuard(deps: {
  readonly resolveHost: HostResolver;
  readonly devHosts?: DevHosts | undefined;
}): EndpointGuard {
  async function addressesOf(hostName: string): Promise<readonly string[]> {
    return isIP(hostName) === 0 ? await deps.resolveHost(hostName) : [hostName];
  }

  return {
    async admit(text) {
      const parsed = parseEndpointUrl(text);
      if (parsed === undefined) return { admitted: false, cause: 'url' };

      const devTarget = deps.devHosts?.get(parsed.hostName);
      if (devTarget !== undefined) return { admitted: true, endpoint: { ...parsed, targets: [devTarget] } };

      let answer: readonly string[];
      try {
        answer = await addressesOf(parsed.hostName);
      } catch {
        return { admitted: false, cause: 'lookup_failed' };
      }
      if (answer.length === 0) return { admitted: false, cause: 'no_address' };

      const targets: DialTarget[] = [];
      for (const address of answer) {
        const vetted = publicAddress(address);
        if (vetted === undefined) return { admitted: false, cause: 'address' };
        targets.push({ address: vetted, port: ENDPOINT_PORT });
      }
      return { admitted: true, endpoint: { ...parsed, targets } };
    },
  };
}

/**
 * Applies what can be said of an endpoint URL without looking anything up, and normalises it: host in lowercase ASCII,
 * without a trailing dot. Undefined for a URL that is refused. What parsers are known to read differently (spaces, control
 * characters, backslashes, fragments, escapes in the host) is refused in the text itself, before it is parsed.
 */
export function parseEndpointUrl(text: string): { readonly url: URL; readonly hostName: string } | undefined {
  if (text.length > MAX_URL_LENGTH) return undefined;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\\#]|\s/.test(text)) return undefined;
  if (!/^https:\/\/[^/?@%]+(?:[/?]|$)/i.test(text) || !URL.canParse(text)) return undefined;

  const url = new URL(text);
  if (url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '')
    return undefined;
  const name = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  url.hostname = name;
  if (url.hostname !== name || url.href.length > MAX_URL_LENGTH) return undefined;

  const hostName = name.startsWith('[') ? name.slice(1, -1) : name;
  return isIP(hostName) !== 0 || isPublicName(hostName) ? { url, hostName } : undefined;
}

function isPublicName(name: string): boolean {
  const labels = name.split('.');
  return (
    name.length <= MAX_HOST_NAME_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => HOST_LABEL.test(label)) &&
    !PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}
