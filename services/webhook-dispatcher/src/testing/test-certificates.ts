import 'reflect-metadata';
import { randomUUID, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3_600_000;

/** A certificate authority that only tests trust. */
export interface TestAuthority {
  readonly pem: string;
  /** Issues a certificate, in PEM as its key, for host names and addresses. Valid from two days ago until tomorrow by default. */
  issue(subject: {
    readonly names?: readonly string[];
    readonly addresses?: readonly string[];
    readonly notBefore?: Date;
    readonly notAfter?: Date;
    /** Distinguished name; absent: `CN=Test server`. */
    readonly subject?: string;
    /** Sign with the certificate's own key instead of the authority's. */
    readonly selfSigned?: boolean;
  }): Promise<{ readonly key: string; readonly cert: string }>;
}

/** Creates an authority with a new key. */
export async function createTestAuthority(): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const authorityKeys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const subjectName = `CN=Test authority ${randomUUID()}`;
  const validity = () => ({
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
  });
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: subjectName,
    ...validity(),
    signingAlgorithm: KEY_ALGORITHM,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  let serial = 1;

  return {
    pem: authority.toString('pem'),
    async issue({
      names = [],
      addresses = [],
      notBefore,
      notAfter,
      subject = 'CN=Test server',
      selfSigned = false,
    }) {
      serial += 1;
      const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(4, '0'),
        subject,
        issuer: selfSigned ? subject : subjectName,
        ...validity(),
        ...(notBefore !== undefined && { notBefore }),
        ...(notAfter !== undefined && { notAfter }),
        signingAlgorithm: KEY_ALGORITHM,
        publicKey: keys.publicKey,
        signingKey: (selfSigned ? keys : authorityKeys).privateKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            ...names.map((value) => ({ type: 'dns' as const, value })),
            ...addresses.map((value) => ({ type: 'ip' as const, value })),
          ]),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
      return {
        key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
        cert: certificate.toString('pem'),
      };
    },
  };
}
