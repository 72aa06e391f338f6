export type ExchangePhase = 'connect' | 'tls' | 'http';

export interface ExchangeFailure {
  readonly outcome: 'tls_failed' | 'connection_failed';
  readonly error: string;
}

const CERTIFICATE_FAILURES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_SIGNATURE_FAILURE: 'the certificate is not signed by a trusted authority',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the certificate is not signed by a trusted authority, or an intermediate certificate is not sent',
};

const CONNECT_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host did not accept the connection in time',
};

/** Classifies a failure by its error and the phase reached. The result repeats nothing that the endpoint sent. */
export function classifyFailure(phase: ExchangePhase, error: Error): ExchangeFailure {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (phase === 'connect') {
    return { outcome: 'connection_failed', error: CONNECT_FAILURES[code] ?? 'the connection failed' };
  }
  if (phase === 'tls' || code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return { outcome: 'tls_failed', error: CERTIFICATE_FAILURES[code] ?? 'the TLS handshake failed' };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { outcome: 'connection_failed', error: 'the headers of the response were too large' };
  }
  if (code === 'TOO_MANY_INTERIM') {
    return { outcome: 'connection_failed', error: 'there were too many interim responses' };
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return { outcome: 'connection_failed', error: 'the response was not valid HTTP' };
  }
  return {
    outcome: 'connection_failed',
    error: 'the connection was closed before the response was complete',
  };
}
