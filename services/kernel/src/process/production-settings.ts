import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import { isDevelopmentKey } from './key-bytes.js';
import { urlsIn } from './urls-in.js';

/** Settings that are URLs of backing services whose protocol or parameters decide whether the connection has TLS. */
export const BACKING_SERVICES = [
  'AMQP_URL',
  'REDIS_URL',
  'POSTGRES_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

const TLS_PROTOCOLS = ['amqps:', 'rediss:', 'rediss-sentinel:', 'rediss-cluster:', 'https:'];
/** `allow` and `prefer` mean a connection without TLS if the server has none; so does no `sslmode`. */
const TLS_MODES = ['require', 'verify-ca', 'verify-full', 'no-verify'];

const KEYS = ['WEBHOOK_SEALING_KEYS', 'WEBHOOK_SIGNING_KEYS', 'SESSION_KEYS', 'CURSOR_SIGNING_KEY'];

const DEVELOPMENT_ONLY = ['WEBHOOK_DEV_HOSTS', 'WEBHOOK_DEV_CA_FILE'];

/**
 * Returns what an environment has that production does not allow: backing services on other machines without TLS, unless
 * `ALLOW_PLAINTEXT` names the setting, keys that everyone knows, and settings of development only. `names` are the settings
 * of the process. Returns nothing in the sandbox.
 */
export function productionViolations(
  names: readonly string[],
  given: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly message: string }[] {
  if (given['PARTNER_ENVIRONMENT'] !== 'production') return [];
  const allowed = (given['ALLOW_PLAINTEXT'] ?? '').split(',');
  // Without the exporter, no process connects there.
  const unused = given['OTEL_TRACES_EXPORTER'] === 'otlp' ? [] : ['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return [
    ...BACKING_SERVICES.filter(
      (name) =>
        names.includes(name) && ![...allowed, ...unused].includes(name) && isPlaintext(given[name] ?? ''),
    ).map((name) => ({ name, message: `${NEEDS_TLS}; or list ${name} in ALLOW_PLAINTEXT` })),
    ...KEYS.filter((name) => names.includes(name) && hasDevelopmentKey(given[name] ?? '')).map((name) => ({
      name,
      message: 'must not contain a development key in production',
    })),
    ...DEVELOPMENT_ONLY.filter((name) => names.includes(name) && given[name] !== undefined).map((name) => ({
      name,
      message: 'must not be set in production',
    })),
  ];
}

const NEEDS_TLS =
  'must use TLS in production: amqps://, rediss://, https://, or ?sslmode=verify-full for Postgres';

function hasDevelopmentKey(keys: string): boolean {
  return keys.split(/[,:]/).some((part) => isDevelopmentKey(Buffer.from(part.trim(), 'base64')));
}

/**
 * Returns whether any of the URLs, separated by commas, leads to another machine without TLS. A text that is not a URL does
 * not: it is refused as such.
 */
function isPlaintext(urls: string): boolean {
  return urlsIn(urls).some((text) => {
    const url = parsedUrl(text);
    return url !== undefined && !hasTls(url) && !isThisMachine(url);
  });
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/i.test(hostname);
}

function hasTls({ protocol, searchParams }: URL): boolean {
  if (!protocol.startsWith('postgres')) return TLS_PROTOCOLS.includes(protocol);
  // Of a repeated parameter, the last one counts.
  const mode = searchParams.getAll('sslmode').at(-1);
  if (mode !== undefined) return TLS_MODES.includes(mode);
  return ['true', '1'].includes(searchParams.getAll('ssl').at(-1) ?? '');
}

/** Without a host, or with a path as the host, it is a Unix socket. */
function isThisMachine({ hostname, searchParams }: URL): boolean {
  const hosts = [hostname, ...searchParams.getAll('host')];
  return hosts.every((host) => host === '' || /^(\/|%2f)/i.test(host) || isLoopback(host));
}
