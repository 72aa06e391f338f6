import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createShareGate, tooManyInFlight } from '@partner/kernel/process/share-gate';
import type { After } from '@partner/kernel/process/timers';
import { invalidArgument } from '@partner/kernel/process/validation';
import { parseSentJson, type SentJson } from './canonical-json.js';
import { jsonExcess, MAX_JSON_TOKENS } from './json-complexity.js';

/** A body that brings less in this time is too slow. One of 1 MB needs ten times as much to arrive within the 30 s of a request. */
const SLOW_BODY = { spanMs: 10_000, bytes: 32_768 } as const;

/** Memory of a body of unannounced length at first. It doubles as the body grows. */
const FIRST_BYTES = 16_384;

type BodyType = NonNullable<AnyOperation['bodyType']> | 'json';

/** A body that may be read: its share of the memory is taken. */
interface BodyShare {
  /**
   * Reads the body as its type; undefined if it is empty. Call it at most once. Throws `invalid_argument` for bytes that are not JSON in
   * UTF-8, `body_too_complex`, `body_too_slow`, `payload_too_large` and, for a body of unannounced length, `unavailable`.
   */
  read(): Promise<SentJson | undefined>;
  /** Gives the share back, whether or not the body was read. Call it once nothing needs the body. */
  release(): void;
}

export interface RequestBodies {
  /**
   * Takes the caller's share for the body of a request, before any of it is read; undefined for a request without a body. Throws
   * `invalid_argument` for a wrong or a second content type and for a compressed body, `payload_too_large` for one that is announced as
   * too large, and `unavailable` if the caller has no more bytes left.
   */
  open(request: IncomingMessage, caller: string, maxBytes: number, type?: BodyType): BodyShare | undefined;
}

/**
 * Bounds the memory of bodies in this process to a number of bytes, shared by callers as {@link createShareGate} does: one caller has
 * at most half of them (LIMIT-11). A body counts with its announced length, or as it grows, until it is released. One that comes too
 * slowly is refused.
 */
export function createRequestBodies(options: {
  readonly bytes: number;
  readonly after: After;
}): RequestBodies {
  const shares = createShareGate({ slots: options.bytes, queue: 0, work: 'bodies' });
  return {
    open(request, caller, maxBytes, type = 'json') {
      const { headers } = request;
      if (!announcesBody((name) => headers[name]?.toString())) return undefined;
      const announced =
        headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
      if ((announced ?? 0) > maxBytes) throw tooLarge(maxBytes);
      if (type !== 'bytes') checkType(request, type);
      const leaves: (() => void)[] = [];
      const take = (bytes: number) => {
        const leave = shares.tryEnter(caller, bytes);
        if (leave !== undefined) leaves.push(leave);
        return leave !== undefined;
      };
      const bytes = announced ?? Math.min(FIRST_BYTES, maxBytes);
      if (!take(bytes)) throw noRoom();
      return {
        async read() {
          const read = await readBytes(request, { bytes, maxBytes, take, after: options.after });
          return read.length === 0 ? undefined : PARSERS[type](read);
        },
        release: () => {
          for (const leave of leaves) leave();
        },
      };
    },
  };
}

export function announcesBody(header: (name: string) => string | undefined): boolean {
  return header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > 0;
}

function checkType(request: IncomingMessage, type: 'json' | 'form'): void {
  const { headers, headersDistinct } = request;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw invalidArgument([
      { path: 'content-encoding', message: 'must be absent; send the body uncompressed' },
    ]);
  }
  if ((headersDistinct['content-type'] ?? []).length > 1) {
    throw invalidArgument([{ path: 'content-type', message: 'must be sent only once' }]);
  }
  const isRight = type === 'form' ? headers['content-type'] === FORM_TYPE : isJson(headers['content-type']);
  if (!isRight) {
    const message = `must be ${type === 'form' ? FORM_TYPE : 'application/json in UTF-8'}`;
    throw invalidArgument([{ path: 'content-type', message }]);
  }
}

/** As browsers send it, and nothing else. */
const FORM_TYPE = 'application/x-www-form-urlencoded';

function parseForm(bytes: Uint8Array): SentJson {
  const value = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
  return { value, exact: undefined };
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** Reads a body into memory that is taken before it is used, so that many small pieces need no more than one large one. */
async function readBytes(
  request: IncomingMessage,
  {
    bytes,
    maxBytes,
    take,
    after,
  }: {
    readonly bytes: number;
    readonly maxBytes: number;
    /** Takes more bytes; false if the caller has none left. */
    readonly take: (bytes: number) => boolean;
    readonly after: After;
  },
): Promise<Uint8Array> {
  const cut = () => invalidArgument([{ path: 'body', message: 'must be sent completely' }]);
  // It would emit no further event.
  if (request.destroyed) throw cut();
  return new Promise((resolve, reject) => {
    let memory = Buffer.allocUnsafe(bytes);
    let size = 0;
    let pieces = 0;
    let sizeBefore = 0;
    let cancel = after(SLOW_BODY.spanMs, checkPace);

    function finish(settle: () => void): void {
      cancel();
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      settle();
    }
    function fail(error: ServiceError): void {
      request.pause();
      finish(() => reject(error));
    }
    function checkPace(): void {
      if (size - sizeBefore < SLOW_BODY.bytes) {
        fail(tooSlow());
        return;
      }
      sizeBefore = size;
      cancel = after(SLOW_BODY.spanMs, checkPace);
    }
    function onData(piece: Buffer): void {
      pieces += 1;
      if (pieces > MAX_JSON_TOKENS) {
        fail(tooComplex(`must be sent in at most ${MAX_JSON_TOKENS} chunks`));
        return;
      }
      if (size + piece.length > maxBytes) {
        fail(tooLarge(maxBytes));
        return;
      }
      if (size + piece.length > memory.length && !grow(size + piece.length)) {
        fail(noRoom());
        return;
      }
      size += piece.copy(memory, size);
    }
    function grow(needed: number): boolean {
      let length = memory.length;
      while (length < needed) length *= 2;
      length = Math.min(maxBytes, length);
      if (!take(length - memory.length)) return false;
      const larger = Buffer.allocUnsafe(length);
      memory.copy(larger, 0, 0, size);
      memory = larger;
      return true;
    }
    const onEnd = () => finish(() => resolve(memory.subarray(0, size)));
    const onCut = () => finish(() => reject(cut()));
    request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

function parseJson(bytes: Uint8Array): SentJson {
  const excess = jsonExcess(bytes);
  if (excess !== undefined) throw tooComplex(excess);
  try {
    return parseSentJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidArgument([{ path: 'body', message: 'must be valid JSON in UTF-8' }]);
  }
}

const PARSERS: Readonly<Record<BodyType, (bytes: Uint8Array) => SentJson>> = {
  json: parseJson,
  form: parseForm,
  bytes: (bytes) => ({ value: Buffer.from(bytes).toString('base64'), exact: undefined }),
};

function noRoom(): ServiceError {
  return tooManyInFlight('bytes of bodies');
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `body: must be at most ${maxBytes} bytes`);
}

function tooComplex(message: string): ServiceError {
  return new ServiceError('body_too_complex', `body: ${message}`, { details: [{ path: 'body', message }] });
}

function tooSlow(): ServiceError {
  const { bytes, spanMs } = SLOW_BODY;
  return new ServiceError(
    'body_too_slow',
    `body: at least ${bytes} bytes must arrive every ${spanMs / 1_000} seconds until it ends`,
  );
}
