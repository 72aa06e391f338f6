/** The codings in which a file can be sent, the smallest first. */
const CODINGS = ['br', 'gzip'] as const;

export type ContentCoding = (typeof CODINGS)[number];

/**
 * The smallest coding that an `accept-encoding` header takes, out of those that there are; undefined for the file as it is. What
 * the header names with `q=0` is refused, also by way of `*`.
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  available: readonly ContentCoding[],
): ContentCoding | undefined {
  const qualities = new Map(
    (acceptEncoding ?? '').split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2))];
    }),
  );
  return CODINGS.find(
    (coding) => available.includes(coding) && (qualities.get(coding) ?? qualities.get('*') ?? 0) > 0,
  );
}
