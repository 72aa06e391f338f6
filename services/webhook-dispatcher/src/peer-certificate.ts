import type { PeerCertificate as TlsCertificate, TLSSocket } from 'node:tls';

export interface PeerCertificate {
  /** The common name, else the first DNS name; may be empty. */
  readonly subject: string;
  /** The issuer's common name, else the issuer's organisation; may be empty. */
  readonly issuer: string;
  /** Absent if the certificate has no readable start. */
  readonly validFrom?: Date;
  readonly validTo: Date;
}

const MAX_NAME_LENGTH = 253;

/**
 * Returns the certificate that the peer presented; undefined if it has no readable end.
 * The peer chooses the names, so each is cut at 253 characters and stripped of control characters.
 */
export function readPeerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  // Unlike its type, it is empty if the peer has shown none.
  const shown: Partial<TlsCertificate> = socket.getPeerCertificate();
  const validTo = new Date(shown.valid_to ?? '');
  if (Number.isNaN(validTo.getTime())) return undefined;
  const { subject, issuer } = shown;
  const validFrom = new Date(shown.valid_from ?? '');
  return {
    subject: cleanName(subject?.CN ?? /(?:^|, )DNS:([^,]+)/.exec(shown.subjectaltname ?? '')?.[1]),
    issuer: cleanName(issuer?.CN ?? issuer?.O),
    ...(!Number.isNaN(validFrom.getTime()) && { validFrom }),
    validTo,
  };
}

/** `name` is a list when the certificate has several. */
function cleanName(name: string | readonly string[] = ''): string {
  const first = typeof name === 'string' ? name : (name[0] ?? '');
  return first.slice(0, MAX_NAME_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
}
