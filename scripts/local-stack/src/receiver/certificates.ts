import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface CertificateFiles {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;
const LIFETIME_DAYS = 365;

/**
 * Creates an authority and a server certificate for the host name, the names below it and loopback, unless the directory
 * has ones that are valid for another week. Discards the authority's key, so that nothing else can be signed with it.
 */
export async function ensureCertificates(directory: string, hostName: string): Promise<CertificateFiles> {
  const files = {
    caFile: path.join(directory, 'ca.pem'),
    certificateFile: path.join(directory, 'certificate.pem'),
    keyFile: path.join(directory, 'key.pem'),
  };
  if (Object.values(files).every((file) => existsSync(file)) && isGoodForAWeek(files.certificateFile)) {
    return files;
  }

  const notBefore = new Date(Date.now() - DAY_MS);
  const notAfter = new Date(Date.now() + LIFETIME_DAYS * DAY_MS);
  const authorityKeys = await webcrypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Partner local stack',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const serverKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${hostName}`,
    issuer: authority.subject,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: hostName },
        { type: 'dns', value: `*.${hostName}` },
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);

  mkdirSync(directory, { recursive: true });
  writeFileSync(files.caFile, authority.toString('pem'));
  writeFileSync(files.keyFile, PemConverter.encode(key, 'PRIVATE KEY'), { mode: 0o600 });
  writeFileSync(files.certificateFile, certificate.toString('pem'));
  return files;
}

function isGoodForAWeek(certificateFile: string): boolean {
  const { notAfter } = new X509Certificate(readFileSync(certificateFile, 'utf8'));
  return notAfter.getTime() > Date.now() + 7 * DAY_MS;
}
