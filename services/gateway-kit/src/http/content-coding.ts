import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type ContentCoding, type EndpointResponse, responseText } from './endpoint.js';

/** In order of preference: the smaller result first. */
const CODINGS: readonly ContentCoding[] = ['br', 'gzip'];

/** A shorter body fits into one packet uncompressed. */
const SHORTEST_BYTES = 1_024;

/** On a feed page this is faster than gzip, with a smaller result. */
const BROTLI_QUALITY = 4;
/** On the API reference, 11 saves 7 % more bytes but takes ten times as long. */
const BROTLI_QUALITY_ONCE = 9;

const brotliInBackground = promisify(brotliCompress);
const gzipInBackground = promisify(gzip);

/** Compresses a text that is sent many times, outside of the event loop. */
export async function compressedOnce(text: string): Promise<ReadonlyMap<ContentCoding, Uint8Array>> {
  const [br, gzipped] = await Promise.all([
    brotliInBackground(text, brotliOptions(BROTLI_QUALITY_ONCE)),
    gzipInBackground(text, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return new Map<ContentCoding, Uint8Array>([
    ['br', br],
    ['gzip', gzipped],
  ]);
}

/**
 * Compresses the response to a GET or HEAD request, if it accepts one of the codings. It uses the body compressed in
 * advance, or compresses bodies of at least 1,024 bytes. Responses to writes are never compressed: only they contain
 * secrets, and a compressed length would leak them (BREACH). Errors and streams are not compressed either.
 */
export async function withContentCoding(
  response: EndpointResponse,
  request: { readonly method: string; readonly accepts: (coding: ContentCoding) => boolean },
): Promise<EndpointResponse> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isContent = response.status === 200 || response.status === 304;
  if (!isRead || !isContent || response.stream !== undefined) return response;
  const headers = { ...response.headers, vary: 'accept-encoding' };
  const body = response.bytes ?? responseText(response);
  if (body === undefined) return { ...response, headers };
  const isLong = Buffer.byteLength(body) >= SHORTEST_BYTES;
  const available =
    response.compressed === undefined ? (isLong ? CODINGS : []) : [...response.compressed.keys()];
  const coding = CODINGS.find((each) => available.includes(each) && request.accepts(each));
  if (coding === undefined) return { ...response, ...(typeof body === 'string' && { text: body }), headers };
  return {
    ...response,
    bytes: response.compressed?.get(coding) ?? (await compress(coding, body)),
    headers: { ...headers, 'content-encoding': coding },
  };
}

async function compress(coding: ContentCoding, body: string | Uint8Array): Promise<Uint8Array> {
  return coding === 'br' ? brotliInBackground(body, brotliOptions(BROTLI_QUALITY)) : gzipInBackground(body);
}

function brotliOptions(quality: number) {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
}
