import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { connect, createSecureContext, rootCertificates } from 'node:tls';
import type { DialTarget } from './endpoint-guard.js';
import { type PeerCertificate, readPeerCertificate } from './peer-certificate.js';

/** Where a connection goes and which name its certificate is for. */
export interface ConnectionKey extends DialTarget {
  readonly hostName: string;
}

/** How a connection came to stand, as far as it has come. Milliseconds are of that step alone. */
export interface ConnectionOpening {
  /** Until TCP stood. */
  connectMs?: number;
  /** From there until the handshake was done, also when the certificate was refused then. */
  tlsMs?: number;
  /** Such as `TLSv1.3`. */
  tlsProtocol?: string | undefined;
  /** Also when it was refused. */
  certificate?: PeerCertificate | undefined;
}

/** TLS connections to endpoints. One is shared only between deliveries with the same address, port and host name. */
export interface ConnectionPool {
  readonly agent: Agent;
  /** How a connection of the agent came to stand; it is added to while it opens. */
  openingOf(socket: Socket): Readonly<ConnectionOpening> | undefined;
  /** True when a connection stands open and unused. */
  hasIdle(key: ConnectionKey): boolean;
  /** False when the next connection there is to be closed after its answer, since it would not be kept. */
  keeps(key: ConnectionKey): boolean;
  /** Says that a kept connection was closed by the receiver as it was used again: keep none there for a minute. */
  brokeOnReuse(key: ConnectionKey): void;
  /** Closes every connection. */
  close(): void;
}

/** A TLS session that can be resumed. */
interface KnownSession {
  readonly session: Buffer;
  readonly certificate: PeerCertificate | undefined;
  /** When the certificate was judged. */
  readonly judgedAt: number;
}

/** Below the 5 s after which common servers close a connection that is not used. */
const IDLE_MS = 4_000;
const IDLE_CONNECTIONS_PER_KEY = 250;
const MAX_KEPT_CONNECTIONS = 1_000;
const MAX_SESSIONS = 2_000;
/** After which a certificate is judged again, in a handshake that resumes nothing. */
const MAX_SESSION_MS = 3_600_000;
const MAX_BROKEN_KEYS = 1_000;
const KEEP_NONE_MS = 60_000;

/**
 * Makes a pool. A connection that it opens goes to the address that it is told, without any lookup or proxy, speaks TLS
 * 1.2 or newer and HTTP/1.1, and is usable only when the certificate is trusted and is for the host name. TLS sessions
 * are resumed for an hour at most, and not beyond the end of the certificate, since no certificate is shown in that.
 */
export function createConnectionPool(options: {
  /** PEM text of certificate authorities that are trusted besides the usual ones. */
  readonly extraCa?: string | undefined;
  /** Milliseconds that only grow. */
  readonly elapsedMs?: () => number;
  readonly clock?: () => Date;
}): ConnectionPool {
  const { elapsedMs = () => performance.now(), clock = () => new Date() } = options;
  // Made once: reading the certificate authorities costs more than a handshake.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(options.extraCa !== undefined && { ca: [...rootCertificates, options.extraCa] }),
  });
  const sessions = new Map<string, KnownSession>();
  const openings = new WeakMap<Socket, ConnectionOpening>();
  const keepNoneUntil = new Map<string, number>();
  let openConnections = 0;

  const agent = new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: IDLE_CONNECTIONS_PER_KEY,
    scheduling: 'lifo',
  });
  agent.getName = (request) =>
    `${request?.servername ?? ''}|${request?.host ?? ''}|${String(request?.port ?? '')}`;

  agent.createConnection = (request) => {
    const name = agent.getName(request);
    const known = usableSession(name);
    const socket = connect({
      host: request.host ?? '',
      port: Number(request.port),
      ...(request.servername !== undefined && { servername: request.servername }),
      session: known?.session,
      secureContext,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    socket.setNoDelay(true);
    const opening: ConnectionOpening = {};
    openings.set(socket, opening);
    const begin = performance.now();
    socket.once('connect', () => {
      opening.connectMs = Math.round(performance.now() - begin);
    });
    // Before the certificate is judged: a socket that is refused for it no longer has it.
    socket.prependOnceListener('secure', () => {
      opening.tlsMs = Math.round(performance.now() - begin) - (opening.connectMs ?? 0);
      opening.tlsProtocol = socket.getProtocol() ?? undefined;
      opening.certificate = readPeerCertificate(socket) ?? known?.certificate;
    });
    openConnections += 1;
    socket.once('close', (hadError) => {
      openConnections -= 1;
      if (hadError) sessions.delete(name);
    });

    // Emitted only once the certificate has been checked.
    socket.on('session', (session: Buffer) => {
      sessions.delete(name);
      forgetOldest(sessions, MAX_SESSIONS);
      const judgedAt = known !== undefined && socket.isSessionReused() ? known.judgedAt : elapsedMs();
      sessions.set(name, { session, certificate: opening.certificate, judgedAt });
    });
    return socket;
  };

  return {
    agent,
    openingOf(socket) {
      return openings.get(socket);
    },
    hasIdle(key) {
      return (agent.freeSockets[nameOf(key)]?.length ?? 0) > 0;
    },
    keeps(key) {
      const until = keepNoneUntil.get(nameOf(key)) ?? 0;
      return openConnections < MAX_KEPT_CONNECTIONS && performance.now() >= until;
    },
    brokeOnReuse(key) {
      const name = nameOf(key);
      keepNoneUntil.delete(name);
      forgetOldest(keepNoneUntil, MAX_BROKEN_KEYS);
      keepNoneUntil.set(name, performance.now() + KEEP_NONE_MS);
    },
    close() {
      agent.destroy();
    },
  };

  function usableSession(name: string): KnownSession | undefined {
    const known = sessions.get(name);
    if (known === undefined) return undefined;
    const hasEnded = known.certificate !== undefined && known.certificate.validTo <= clock();
    if (!hasEnded && elapsedMs() - known.judgedAt < MAX_SESSION_MS) return known;
    sessions.delete(name);
    return undefined;
  }

  function nameOf(key: ConnectionKey): string {
    return agent.getName({ host: key.address, port: key.port, servername: serverNameOf(key.hostName) });
  }
}

/** The name to ask for in the TLS handshake: none for an address, which has no place there. */
export function serverNameOf(hostName: string): string {
  return isIP(hostName) === 0 ? hostName : '';
}

function forgetOldest(entries: Map<string, unknown>, limit: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size < limit) return;
    entries.delete(oldest);
  }
}
