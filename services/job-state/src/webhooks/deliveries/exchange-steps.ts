import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { ExchangeTraceSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { ExchangeSteps } from '@partner/proto-contracts/resources/attempt/attempt';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { z } from 'zod';

export const int32 = z.int().min(0).max(2_147_483_647);
const EARLIEST_START = new Date('2000-01-01T00:00:00Z');
const LATEST_START = new Date('2100-01-01T00:00:00Z');

export function isOfThisCentury(at: Date): boolean {
  return at >= EARLIEST_START && at < LATEST_START;
}

/** Postgres cannot store NUL in a text. */
export const text = z.string().transform((value) => value.replaceAll('\0', ''));

/** An instant that the endpoint chose, such as the expiry of its certificate. */
const anyInstant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp) => {
    const date = timestampDate(timestamp);
    return Number.isNaN(date.getTime()) ? undefined : date;
  });

/** An optional detail of an attempt. An invalid value is dropped and does not reject the result. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

export const exchange = z
  .object({
    dnsMs: lenient(int32),
    addresses: lenient(z.array(text).max(16)),
    connectMs: lenient(int32),
    tlsMs: lenient(int32),
    tlsProtocol: lenient(text),
    certificateSubject: lenient(text),
    certificateIssuer: lenient(text),
    certificateValidFrom: lenient(anyInstant),
    certificateValidTo: lenient(anyInstant),
    reusedConnection: lenient(z.boolean()),
    firstByteMs: lenient(int32),
  })
  .transform((given) => ({ json: JSON.stringify(given), certificate: certificateOf(given) }));

export interface CertificateValidity {
  readonly validFrom: Date | undefined;
  readonly validTo: Date;
}

/** The endpoint chooses both instants. A certificate that does not end in this century has no end worth announcing. */
function certificateOf(given: {
  readonly certificateValidFrom?: Date | undefined;
  readonly certificateValidTo?: Date | undefined;
}): CertificateValidity | undefined {
  const [validFrom, validTo] = [given.certificateValidFrom, given.certificateValidTo].map((at) =>
    at !== undefined && isOfThisCentury(at) ? at : undefined,
  );
  return validTo === undefined ? undefined : { validFrom, validTo };
}

export function shownExchange(stored: JsonValue): ExchangeSteps {
  const trace = fromJson(ExchangeTraceSchema, stored, { ignoreUnknownFields: true });
  const { certificateSubject: subject, certificateIssuer: issuer, certificateValidTo: validTo } = trace;
  const hasCertificate = [subject, issuer, validTo].some((part) => part !== undefined);
  return {
    dnsMs: trace.dnsMs ?? null,
    addresses: trace.addresses,
    connectMs: trace.connectMs ?? null,
    tlsMs: trace.tlsMs ?? null,
    tlsProtocol: trace.tlsProtocol ?? null,
    certificate: hasCertificate
      ? {
          subject: subject ?? null,
          issuer: issuer ?? null,
          validTo: validTo === undefined ? null : formatDateTime(timestampDate(validTo)),
        }
      : null,
    reusedConnection: trace.reusedConnection ?? false,
    firstByteMs: trace.firstByteMs ?? null,
  };
}
