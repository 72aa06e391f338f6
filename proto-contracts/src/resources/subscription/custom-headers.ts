import { z } from 'zod';

/** Bounds of the custom headers of a subscription; `bytes` counts names and values of all. */
export const CUSTOM_HEADER_LIMITS = {
  headers: 10,
  nameLength: 64,
  valueLength: 2_048,
  bytes: 4_096,
} as const;

const TOKEN = /^[0-9A-Za-z][!#$%&'*+.^_`|~0-9A-Za-z-]*$/;
const VISIBLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Names that the service or the connection sets. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const RESERVED_PREFIXES = ['content-', 'proxy-', 'webhook-', 'x-svc-'] as const;

/** Whether the service alone sets a header of this name, in lower case. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

const headerName = z
  .string()
  .min(1)
  .max(CUSTOM_HEADER_LIMITS.nameLength)
  // Before the change of case: it makes ASCII letters of other characters, such as U+212A.
  .refine(
    (name) => TOKEN.test(name),
    'must be a header name that begins with a letter or digit, such as x-tenant',
  )
  .toLowerCase()
  .refine(
    (name) => !isReservedHeader(name),
    'must not be a header that the service sets: host, user-agent, traceparent, those of the connection, content-*, proxy-*, webhook-* and x-svc-*',
  )
  .meta({ description: 'Of any case; it is sent in lower case.' });

const headerValue = z
  .string()
  .min(1)
  .max(CUSTOM_HEADER_LIMITS.valueLength)
  .refine(
    (value) => VISIBLE.test(value),
    'must be visible ASCII characters, without control characters and without spaces at its ends',
  );

/** Custom headers to set, or to remove with a null value. */
export const headerChanges = z
  .array(
    z
      .object({
        name: headerName,
        value: headerValue
          .nullable()
          .meta({ description: 'Stored encrypted and never shown. Null removes the header.' }),
      })
      .meta({ id: 'WebhookHeaderChange', description: 'A custom header to set or to remove.' }),
  )
  .min(1)
  .max(2 * CUSTOM_HEADER_LIMITS.headers)
  .refine(
    (changes) => new Set(changes.map(({ name }) => name)).size === changes.length,
    'must name each header once',
  );

/** Custom headers with their values, for a URL that has none yet. */
export const headerValues = z
  .array(
    z
      .object({
        name: headerName,
        value: headerValue.meta({ description: 'Stored encrypted and never shown.' }),
      })
      .meta({ id: 'WebhookHeaderValue', description: 'A custom header with its value.' }),
  )
  .min(1)
  .max(CUSTOM_HEADER_LIMITS.headers)
  .superRefine((headers, context) => {
    const message =
      new Set(headers.map(({ name }) => name)).size < headers.length
        ? 'must name each header once'
        : boundsViolation(headers.map(({ name, value }) => [name, value]));
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export type HeaderChange = z.infer<typeof headerChanges>[number];

export const customHeaders = z.record(z.string(), z.string());

export type CustomHeaders = z.infer<typeof customHeaders>;

/** Returns the headers after the changes, or why they exceed the bounds. */
export function changeHeaders(
  before: CustomHeaders,
  changes: readonly HeaderChange[],
): { readonly headers: CustomHeaders } | { readonly violation: string } {
  const merged = new Map(Object.entries(before));
  for (const { name, value } of changes) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  const violation = boundsViolation([...merged]);
  return violation === undefined ? { headers: sortedHeaders(merged) } : { violation };
}

/** Headers in the order in which they are stored. */
export function sortedHeaders(headers: Iterable<readonly [string, string]>): CustomHeaders {
  return Object.fromEntries([...headers].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function boundsViolation(headers: readonly (readonly [string, string])[]): string | undefined {
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (headers.length > CUSTOM_HEADER_LIMITS.headers) {
    return `must leave at most ${CUSTOM_HEADER_LIMITS.headers} headers; these are ${headers.length}`;
  }
  if (bytes > CUSTOM_HEADER_LIMITS.bytes) {
    return `must leave at most ${CUSTOM_HEADER_LIMITS.bytes} characters of names and values; these are ${bytes}`;
  }
  return undefined;
}
