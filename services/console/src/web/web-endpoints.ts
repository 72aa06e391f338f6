import { randomBytes } from 'node:crypto';
import {
  type AnyEndpoint,
  type EndpointRequest,
  type EndpointResponse,
  serveOperation,
} from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { html } from '../docs/html.js';
import type { ConsoleDeps } from '../console-deps.js';
import { hasReason } from '../refusals.js';
import type { IdentityProvider } from '../sessions/identity-provider.js';
import { authenticateSession } from '../sessions/session-access.js';
import {
  renderConfirmContact,
  renderForgotPassword,
  renderProviderResponse,
  renderSetPassword,
  renderSignIn,
  signedOutPage,
} from '../docs/signed-out-pages.js';
import type { WebBundle } from '../bundle/web-bundle.js';

type WebAppDeps = Parameters<typeof authenticateSession>[0] &
  Pick<ConsoleDeps, 'webBundle' | 'environment' | 'mailer'> & {
    readonly identityProvider: Pick<IdentityProvider, 'name'> | undefined;
  };

/** The page of the console to open after signing in. */
export const wantedPage = z.looseObject({ next: z.string().optional().catch(undefined) });

type PageRequest = EndpointRequest<unknown, z.output<typeof wantedPage>, unknown>;

const NONCE_BYTES = 18;

/** A file name contains a hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The only page of the app that needs no session (DOCS-3). */
const PUBLIC_PAGE = '/console/receiver-code';

/**
 * Creates the public endpoints of the owners' web app. Its pages load all data through the API, with the owner's
 * session. Every path below `/console`, except its files and the pages that need no session, returns the same page, which routes in the
 * browser; without a session cookie it leads to the sign-in page. The page loads, runs and sends nothing cross-origin; styles that it
 * creates carry the nonce of the response.
 */
export function createWebEndpoints<Principal>(deps: WebAppDeps): readonly AnyEndpoint<Principal>[] {
  const sendsMail = deps.mailer !== undefined;
  const signedOut = (
    id: string,
    path: string,
    render: (request: PageRequest) => string | EndpointResponse | Promise<EndpointResponse>,
  ) =>
    serveOperation<Principal, z.output<typeof wantedPage>, unknown>(
      { id, method: 'get', path: `/console/${path}`, unauthenticated: true, query: wantedPage },
      async (request) => {
        const page = await render(request);
        return typeof page === 'string' ? signedOutPage(page) : page;
      },
    );
  return [
    assetEndpoint<Principal>(deps.webBundle),
    signedOut('getSignInPage', 'sign-in', (request) => signInPage(deps, request)),
    signedOut('getProviderResponsePage', 'sign-in/callback', () =>
      renderProviderResponse(deps.identityProvider?.name ?? 'your company'),
    ),
    signedOut('getForgotPasswordPage', 'forgot-password', () => renderForgotPassword()),
    signedOut('getSetPasswordPage', 'set-password', () => renderSetPassword(sendsMail)),
    signedOut('getConfirmContactPage', 'technical-contact/confirm', () => renderConfirmContact()),
    pageEndpoint<Principal>('getConsole', '/console', deps),
    pageEndpoint<Principal>('getConsoleRoot', '/console/', deps),
    pageEndpoint<Principal>('getConsolePage', '/console/*page', deps),
  ];
}

/** Someone with a session comes to the page that they wanted. */
async function signInPage(deps: WebAppDeps, request: PageRequest): Promise<EndpointResponse> {
  const next = pathAfterSignIn(request.query.next);
  const hasCookie = deps.cookie.read(request.header('cookie')) !== undefined;
  const session = { method: 'GET', path: '/console/sign-in', isOverFailureLimit: false };
  const found = hasCookie
    ? await authenticateSession(deps, { ...request, ...session }).catch((error: unknown) =>
        hasReason(error, 'unauthenticated') ? 'ended' : undefined,
      )
    : undefined;
  if (typeof found === 'object') return redirectTo(`/console${next}`);
  return signedOutPage(renderSignIn({ ...signInFacts(deps), next, hasEnded: found === 'ended' }));
}

export const signInFacts = (deps: Pick<WebAppDeps, 'environment' | 'mailer' | 'identityProvider'>) => ({
  environment: deps.environment,
  providerName: deps.identityProvider?.name,
  sendsMail: deps.mailer !== undefined,
});

/** Returns the path after sign-in, below `/console`: the requested page, if it belongs to the console. */
export function pathAfterSignIn(next: string | undefined): string {
  const { pathname, search } = new URL(`/console${next ?? '/'}`, 'http://console');
  const isOwn = pathname.startsWith('/console/') && !pathname.startsWith('/console/sign-in');
  return isOwn ? `${pathname.slice('/console'.length)}${search}` : '/';
}

const redirectTo = (location: string): EndpointResponse => ({ status: 303, headers: { location } });

/**
 * Leads someone without a session cookie to the sign-in page, which returns to the page that was asked for. Browsers omit the cookie when
 * another site has led there, e.g. webmail, and not when this response does.
 */
function leadToSignIn(
  header: PageRequest['header'],
  operation: string,
  query: Readonly<Record<string, unknown>>,
): EndpointResponse {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const wanted = `${operation.replace(/^\w+ \/console/, '')}${search.size === 0 ? '' : `?${search.toString()}`}`;
  const location = `/console/sign-in${/^\/?$/.test(wanted) ? '' : `?next=${encodeURIComponent(wanted)}`}`;
  if (header('sec-fetch-site') !== 'cross-site') return redirectTo(location);
  return { status: 200, text: '', headers: { 'content-type': 'text/html', refresh: `0;url=${location}` } };
}

function pageEndpoint<Principal>(id: string, path: string, deps: WebAppDeps): AnyEndpoint<Principal> {
  const operation = { id, method: 'get', path, unauthenticated: true, query: z.looseObject({}) } as const;
  return serveOperation(operation, async ({ header, query, operation: asked }) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const hasSession = deps.cookie.read(header('cookie')) !== undefined;
    if (!hasSession && asked !== `GET ${PUBLIC_PAGE}`) return leadToSignIn(header, asked, query);
    // The preloads of signed-in pages are in comments, those of single pages by their path. With a query they would read other data.
    const own = asked.replace(/^GET (.+?)\/?$/, '$1');
    const opened = hasSession ? ['signed-in', ...(Object.keys(query).length === 0 ? [own] : [])] : [];
    const page = opened.reduce(
      (text, mark) => text.replaceAll(`<!--${mark} `, '').replaceAll(` ${mark}-->`, ''),
      deps.webBundle.page,
    );
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
        'content-security-policy': appPolicy(nonce),
        'referrer-policy': 'no-referrer',
      },
    };
  });
}

function appPolicy(nonce: string): string {
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
