import { isLoopbackHttp } from '../loopback-http.js';

/** The cookie that carries a session's token. */
export interface SessionCookie {
  readonly name: string;
  /** The token in a `cookie` header; undefined when there is none. */
  read(cookieHeader: string | undefined): string | undefined;
  /** The `set-cookie` value that gives a browser the token until it closes. */
  set(token: string): string;
  /** The `set-cookie` value that takes the token from a browser. */
  clear(): string;
}

/**
 * Makes the session cookie: `__Host-svc_session`, which a browser only sends back over TLS, to this host, and from pages of
 * this site, and which no script can read. On a plain loopback address, where browsers refuse that name, `svc_session`
 * without `Secure`.
 */
export function createSessionCookie(publicBaseUrl: string): SessionCookie {
  const isPlain = isLoopbackHttp(publicBaseUrl);
  const name = isPlain ? 'svc_session' : '__Host-svc_session';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  return {
    name,
    read(cookieHeader) {
      return cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1);
    },
    set: (token) => `${name}=${token}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
