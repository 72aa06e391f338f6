import { randomBytes } from 'node:crypto';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';
import { html } from '../docs/html.js';
import type { ConsoleDeps } from '../console-deps.js';
import type { IdentityProvider } from '../sessions/identity-provider.js';
import type { WebBundle } from './web-bundle.js';

type WebAppDeps = Pick<ConsoleDeps, 'webBundle' | 'environment' | 'cookie' | 'mailer'> & {
  readonly identityProvider: Pick<IdentityProvider, 'name'> | undefined;
};

const NONCE_BYTES = 18;

/** A file name contains a hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Creates the public endpoints of the owners' web app. Its pages load all data through the API, with the owner's
 * session. Every path below `/console`, except its files, returns the same page, which routes in the browser. The page
 * loads, runs and sends nothing cross-origin; styles that it creates carry the nonce of the response.
 */
export function createWebEndpoints<Principal>(deps: WebAppDeps): readonly AnyEndpoint<Principal>[] {
  return [
    assetEndpoint<Principal>(deps.webBundle),
    pageEndpoint<Principal>('getConsole', '/console', deps),
    pageEndpoint<Principal>('getConsoleRoot', '/console/', deps),
    pageEndpoint<Principal>('getConsolePage', '/console/*page', deps),
  ];
}

function pageEndpoint<Principal>(id: string, path: string, deps: WebAppDeps): AnyEndpoint<Principal> {
  const isOverview = path === '/console' || path === '/console/';
  return serveOperation({ id, method: 'get', path, unauthenticated: true }, async ({ header }) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const hasSession = deps.cookie.read(header('cookie')) !== undefined;
    // The preloads of a signed-in page are in comments.
    const opened = hasSession
      ? [/<!--signed-in|signed-in-->/g, ...(isOverview ? [/<!--overview|overview-->/g] : [])]
      : [];
    const page = opened.reduce((text, marks) => text.replaceAll(marks, ''), deps.webBundle.page);
    return {
      status: 200,
      text: page
        .replaceAll('{{nonce}}', nonce)
        .replaceAll('{{environment}}', deps.environment)
        .replaceAll('{{mail}}', deps.mailer === undefined ? 'none' : 'sent')
        .replaceAll('{{provider}}', () => html`${deps.identityProvider?.name ?? ''}`.html)
        .replaceAll('{{session}}', hasSession ? 'given' : 'none'),
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
