import type { PeerCertificate as TlsCertificate, TLSSocket } from 'node:tls';

/** What an owner is told of a certificate that an endpoint showed. */
export interface PeerCertificate {
  /** Its common name, or else its first DNS name; may be empty. */
  readonly subject: string;
  /** The common name of its issuer, or else the issuer's organisation; may be empty. */
  readonly issuer: string;
  readonly validTo: Date;
}

const MAX_NAME_LENGTH = 253;

/**
 * The certificate that was shown in a handshake; undefined where none came with it, as when a session was resumed. Each
 * name is cut at 253 characters and holds no control characters: whoever made the certificate chose them.
 */
export function readPeerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  // Typed as always there; with a resumed session it is not.
  const shown: Partial<TlsCertificate> | undefined = socket.getPeerCertificate();
  if (shown.valid_to === undefined) return undefined;
  const validTo = new Date(shown.valid_to);
  if (Number.isNaN(validTo.getTime())) return undefined;
  const { subject, issuer } = shown;
  return {
    subject: cleanName(subject?.CN ?? /(?:^|, )DNS:([^,]+)/.exec(shown.subjectaltname ?? '')?.[1]),
    issuer: cleanName(issuer?.CN ?? issuer?.O),
    validTo,
  };
}

/** `name` is a list when the certificate has several. */
function cleanName(name: string | readonly string[] = ''): string {
  const first = typeof name === 'string' ? name : (name[0] ?? '');
  return first.slice(0, MAX_NAME_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
}
