import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { ServiceError } from '@partner/kernel/service-error';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { WebBundle } from './web-bundle.js';

/** What the owners' web app is served with. */
export interface WebAppDeps {
  readonly bundle: WebBundle;
  /** What the pages call the environment, e.g. `sandbox`. */
  readonly environment: string;
  readonly randomBytes: (size: number) => Buffer;
  readonly cookie: Pick<SessionCookie, 'read'>;
}

const NONCE_BYTES = 18;

/** A file name holds a hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Makes the endpoints of the owners' web app, open to anybody: what it shows it asks of the API, with the owner's session. Every
 * path below `/console` but those of its files is the same page, which finds the rest of the path itself. Nothing is loaded,
 * run or sent to from elsewhere; styles that the page makes carry the nonce of the answer.
 */
export function createWebEndpoints<Principal>(deps: WebAppDeps): readonly AnyEndpoint<Principal>[] {
  return [
    assetEndpoint<Principal>(deps.bundle),
    pageEndpoint<Principal>('getConsole', '/console', deps),
    pageEndpoint<Principal>('getConsoleRoot', '/console/', deps),
    pageEndpoint<Principal>('getConsolePage', '/console/*page', deps),
  ];
}

function pageEndpoint<Principal>(id: string, path: string, deps: WebAppDeps): AnyEndpoint<Principal> {
  return serveOperation({ id, method: 'get', path, unauthenticated: true }, async ({ header }) => {
    const nonce = deps.randomBytes(NONCE_BYTES).toString('base64');
    return {
      status: 200,
      text: deps.bundle.page
        .replaceAll('{{nonce}}', nonce)
        .replaceAll('{{environment}}', deps.environment)
        .replaceAll('{{session}}', deps.cookie.read(header('cookie')) === undefined ? 'none' : 'given'),
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': pagePolicy(nonce),
        'referrer-policy': 'no-referrer',
      },
    };
  });
}

function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

function assetEndpoint<Principal>(bundle: WebBundle): AnyEndpoint<Principal> {
  return serveOperation(
    { id: 'getConsoleAsset', method: 'get', path: '/console/assets/:file', unauthenticated: true },
    async ({ params }) => {
      const asset = bundle.assets.get(params['file'] ?? '');
      if (asset === undefined) throw new ServiceError('not_found', 'path: there is no such file');
      const { contentType, bytes, compressed } = asset;
      return {
        status: 200,
        bytes,
        compressed,
        headers: { 'content-type': contentType, 'cache-control': FOR_EVER },
      };
    },
  );
}
