import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { answerText } from './answer-text.js';
import type { ContentCoding, EndpointAnswer } from './endpoint.js';

/** The smallest first. */
const CODINGS: readonly ContentCoding[] = ['br', 'gzip'];

/** Shorter bodies fit into one packet anyway. */
const SHORTEST_BYTES = 1_024;

/** For a feed page it takes less time than gzip and leaves fewer bytes. */
const BROTLI_QUALITY = 4;
/** 11 leaves 7 % fewer bytes of the API reference and takes ten times as long. */
const BROTLI_QUALITY_ONCE = 9;

const brotliInBackground = promisify(brotliCompress);
const gzipInBackground = promisify(gzip);

/**
 * The smallest coding that an `accept-encoding` header takes, out of those that there are; undefined for the body as it is. What
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

/** Compresses a text that is sent many times. */
export function compressedOnce(text: string): ReadonlyMap<ContentCoding, Uint8Array> {
  return new Map<ContentCoding, Uint8Array>([
    ['br', brotliCompressSync(text, brotliOptions(BROTLI_QUALITY_ONCE))],
    ['gzip', gzipSync(text, { level: constants.Z_BEST_COMPRESSION })],
  ]);
}

/**
 * Compresses the response to a GET or HEAD request as its `accept-encoding` allows, if it was compressed beforehand or has at least
 * 1,024 bytes. Responses to writes stay as they are: they alone show secrets, whose compressed length must not depend on what
 * stands beside them (BREACH). Errors and streams stay too.
 */
export async function withContentCoding(
  answer: EndpointAnswer,
  request: { readonly method: string; readonly acceptEncoding: string | undefined },
): Promise<EndpointAnswer> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isContent = answer.status === 200 || answer.status === 304;
  if (!isRead || !isContent || answer.stream !== undefined) return answer;
  const headers = { ...answer.headers, vary: 'accept-encoding' };
  const body = answer.bytes ?? answerText(answer);
  if (body === undefined) return { ...answer, headers };
  const isLong = Buffer.byteLength(body) >= SHORTEST_BYTES;
  const available = answer.compressed === undefined ? (isLong ? CODINGS : []) : [...answer.compressed.keys()];
  const coding = chooseCoding(request.acceptEncoding, available);
  if (coding === undefined) return { ...answer, ...(typeof body === 'string' && { text: body }), headers };
  return {
    ...answer,
    bytes: answer.compressed?.get(coding) ?? (await compress(coding, body)),
    headers: { ...headers, 'content-encoding': coding },
  };
}

async function compress(coding: ContentCoding, body: string | Uint8Array): Promise<Uint8Array> {
  return coding === 'br' ? brotliInBackground(body, brotliOptions(BROTLI_QUALITY)) : gzipInBackground(body);
}

function brotliOptions(quality: number) {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
}
