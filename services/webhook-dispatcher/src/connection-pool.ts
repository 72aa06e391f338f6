import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { performance } from 'node:perf_hooks';
import { connect, createSecureContext, rootCertificates } from 'node:tls';
import type { DialTarget } from './endpoint-guard.js';
import { type PeerCertificate, readPeerCertificate } from './peer-certificate.js';

interface ConnectionKey extends DialTarget {
  readonly hostName: string;
}

/** How a connection was opened, up to the step reached. Each duration covers only its step, in ms. */
interface ConnectionOpening {
  connectMs?: number;
  /** Duration of the TLS handshake; also set if the certificate was refused. */
  tlsMs?: number;
  /** For example `TLSv1.3`. */
  tlsProtocol?: string | undefined;
  /** Also set if the certificate was refused. */
  certificate?: PeerCertificate | undefined;
}

/** TLS connections to endpoints. Deliveries share a connection only if address, port and host name are the same. */
export interface ConnectionPool {
  readonly agent: Agent;
  /** Returns how a connection of the agent was opened; updated while it opens. */
  openingOf(socket: Socket): Readonly<ConnectionOpening> | undefined;
  hasIdle(key: ConnectionKey): boolean;
  /** False if the next connection there must close after its response, because the pool would not keep it. */
  keeps(key: ConnectionKey): boolean;
  /** Reports that the receiver closed a kept connection as it was reused. The pool keeps none there for a minute. */
  brokeOnReuse(key: ConnectionKey): void;
  close(): void;
}

/** Below the 5 s after which common servers close an idle connection. */
const IDLE_MS = 4_000;
const MAX_BROKEN_KEYS = 1_000;
const KEEP_NONE_MS = 60_000;

/**
 * Creates a pool. A connection goes to the given address, without lookup or proxy, and speaks HTTP/1.1 over TLS 1.2 or
 * newer. It is usable only if its certificate is trusted and matches the host name. No TLS session is resumed: a resumed
 * handshake presents no certificate, so an expired or revoked one would go unnoticed.
 */
export function createConnectionPool(options: {
  /**
   * Attempts that may be in flight. One host may keep as many idle connections, because all attempts may go to it; all hosts
   * together may have twice as many connections.
   */
  readonly concurrency: number;
  /** PEM text of certificate authorities to trust in addition to the default ones. */
  readonly extraCa?: string | undefined;
}): ConnectionPool {
  // Created once: reading the certificate authorities costs more than a handshake.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(options.extraCa !== undefined && { ca: [...rootCertificates, options.extraCa] }),
  });
  const openings = new WeakMap<Socket, ConnectionOpening>();
  const keepNoneUntil = new Map<string, number>();
  let openConnections = 0;

  const agent = new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: options.concurrency,
    scheduling: 'lifo',
  });
  agent.getName = (request) =>
    `${request?.servername ?? ''}|${request?.host ?? ''}|${String(request?.port ?? '')}`;

  // Bytes on an idle connection belong to no POST: they are never read as the next response.
  agent.keepSocketAlive = (socket) => {
    socket.on('data', discard);
    return Agent.prototype.keepSocketAlive.call(agent, socket);
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', discard);
    Agent.prototype.reuseSocket.call(agent, socket, request);
  };

  agent.createConnection = (request) => {
    const socket = connect({
      host: request.host ?? '',
      port: Number(request.port),
      ...(request.servername !== undefined && { servername: request.servername }),
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
    // Before verification: a socket whose certificate is refused no longer holds the certificate.
    socket.prependOnceListener('secure', () => {
      opening.tlsMs = Math.round(performance.now() - begin) - (opening.connectMs ?? 0);
      opening.tlsProtocol = socket.getProtocol() ?? undefined;
      opening.certificate = readPeerCertificate(socket);
    });
    openConnections += 1;
    socket.once('close', () => {
      openConnections -= 1;
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
      return openConnections < 2 * options.concurrency && performance.now() >= until;
    },
    brokeOnReuse(key) {
      const name = nameOf(key);
      keepNoneUntil.delete(name);
      const [oldest] = keepNoneUntil.keys();
      if (oldest !== undefined && keepNoneUntil.size >= MAX_BROKEN_KEYS) keepNoneUntil.delete(oldest);
      keepNoneUntil.set(name, performance.now() + KEEP_NONE_MS);
    },
    close() {
      agent.destroy();
    },
  };

  function nameOf(key: ConnectionKey): string {
    return agent.getName({ host: key.address, port: key.port, servername: serverNameOf(key.hostName) });
  }
}

/** Returns the server name (SNI) of a host; empty for an address, which SNI does not allow. */
export function serverNameOf(hostName: string): string {
  return isIP(hostName) === 0 ? hostName : '';
}

function discard(this: Duplex): void {
  this.destroy();
}
