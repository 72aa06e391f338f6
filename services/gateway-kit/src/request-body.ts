import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@partner/kernel/service-error';
import { MAX_JSON_DEPTH, nestsTooDeep, parseSentJson, type SentJson } from './canonical-json.js';
import { invalidArgument } from '@partner/kernel/validation';

/**
 * Reads the JSON body of a request; `undefined` if there is none. Throws `invalid_argument` for a wrong or a second
 * content type, a compressed body, bytes that are not UTF-8, malformed JSON and JSON that nests too deep. Throws
 * `payload_too_large` as soon as the body is known to exceed 1 MB (spec: Limits).
 */
export async function readJsonBody(request: IncomingMessage): Promise<SentJson | undefined> {
  const { headers } = request;
  if (!announcesBody((name) => headers[name]?.toString())) return undefined;
  if (Number(headers['content-length'] ?? 0) > LIMITS.bodyBytes) throw tooLarge();
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw invalidArgument([
      { path: 'content-encoding', message: 'must be absent; send the body uncompressed' },
    ]);
  }
  if ((request.headersDistinct['content-type'] ?? []).length > 1) {
    throw invalidArgument([{ path: 'content-type', message: 'must be sent only once' }]);
  }
  if (!isJson(headers['content-type'])) {
    throw invalidArgument([{ path: 'content-type', message: 'must be application/json in UTF-8' }]);
  }
  const bytes = await readBytes(request);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

/** Returns whether the headers of a request announce a body. */
export function announcesBody(header: (name: string) => string | undefined): boolean {
  return header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > 0;
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (settle: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      settle();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LIMITS.bodyBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      finish(() => reject(tooLarge()));
    };
    const onEnd = () => finish(() => resolve(Buffer.concat(chunks)));
    const onCut = () => {
      finish(() => reject(invalidArgument([{ path: 'body', message: 'must be sent completely' }])));
    };
    request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

function parseJson(bytes: Buffer): SentJson {
  let sent: SentJson;
  try {
    sent = parseSentJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidArgument([{ path: 'body', message: 'must be valid JSON in UTF-8' }]);
  }
  if (nestsTooDeep(sent.value)) {
    throw invalidArgument([{ path: 'body', message: `must not nest deeper than ${MAX_JSON_DEPTH} levels` }]);
  }
  return sent;
}

function tooLarge(): ServiceError {
  return new ServiceError('payload_too_large', `body: must be at most ${LIMITS.bodyBytes} bytes`);
}
