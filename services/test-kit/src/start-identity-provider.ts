import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

interface ProviderTestAccount {
  readonly subject: string;
  readonly email: string;
  readonly isVerified: boolean;
  /** How long ago the person entered credentials, unless the client asks for that; absent: now. */
  readonly minutesAgo?: number;
}

export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** Starts an OpenID Connect provider on a loopback port. It signs in at once, without a form. */
export async function startIdentityProvider(redirectUri: string) {
  let account: ProviderTestAccount = {
    subject: 'stranger',
    email: 'stranger@example.org',
    isVerified: false,
  };
  let isDown = false;
  const known = new Map([[account.subject, account]]);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = {
    issuer: `http://127.0.0.1:${portOf(server)}/`,
    clientId: 'partner-console',
    clientSecret: randomBytes(32).toString('base64url'),
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider: Provider = new Provider(client.issuer.replace(/\/$/, ''), {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        // Then any port of a loopback address matches.
        application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: known.get(id)?.email,
        email_verified: known.get(id)?.isVerified,
      }),
    }),
    async loadExistingGrant(context) {
      const { session } = context.oidc;
      const grant = new provider.Grant({ accountId: session?.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const minutesAgo = params['prompt'] === 'login' ? 0 : (account.minutesAgo ?? 0);
    const ts = Math.floor(Date.now() / 1_000) - minutesAgo * 60;
    const login = { accountId: account.subject, ts };
    await provider.interactionFinished(request, response, { login, consent: {} });
  }

  server.on('request', (request, response) => {
    if (isDown) {
      response.writeHead(500).end();
    } else if (request.url?.startsWith('/interaction/') === true) {
      void signIn(request, response);
    } else {
      void handle(request, response);
    }
  });
  return {
    client,
    /** The client as settings of the console. */
    settings: {
      OIDC_ISSUER: client.issuer,
      OIDC_CLIENT_ID: client.clientId,
      OIDC_CLIENT_SECRET: client.clientSecret,
      OIDC_PROVIDER_NAME: 'Acme Login',
    },
    /** Signs in with an account from now on: at first with one without a verified address. */
    signInAs(given: ProviderTestAccount) {
      account = given;
      known.set(given.subject, given);
    },
    /** Follows the redirects of the provider as a new browser does. Resolves to the address of the client that it returns to. */
    async visit(authorizationUrl: string) {
      const cookies = new Map<string, string>();
      let url = new URL(authorizationUrl);
      while (url.href.startsWith(client.issuer)) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
        const location = response.headers.get('location');
        if (location === null) throw new Error(`the provider responded ${response.status}`);
        for (const set of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split('=');
          cookies.set(name, value);
        }
        url = new URL(location, url);
      }
      return url;
    },
    /** Responds to every request with 500 from now on, or works again. */
    setDown(given: boolean) {
      isDown = given;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  return address.port;
}
