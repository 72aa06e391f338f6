import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';

/** A host name or address, possibly empty, with an optional port (RFC 9110, 7.2). */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Checks rules of HTTP/1.1 that Node's parser does not check: exactly one `Host` (RFC 9112, 3.2) and no transfer coding but `chunked`
 * (RFC 9112, 6.1). Returns the error to respond with, undefined for a valid request. After such a response the connection must close,
 * because its next bytes may belong to the refused request.
 */
export function protocolViolation(request: IncomingMessage): ServiceError | undefined {
  const hosts = request.headersDistinct['host'] ?? [];
  const isOldHttp = request.httpVersion === '1.0';
  if (hosts.length !== 1 && !(isOldHttp && hosts.length === 0)) {
    return invalidArgument([{ path: 'host', message: 'must be sent exactly once' }]);
  }
  if (!hosts.every((host) => HOST.test(host))) {
    return invalidArgument([
      { path: 'host', message: 'must be a host name or address, with an optional port' },
    ]);
  }
  const transferEncoding = request.headers['transfer-encoding']?.toLowerCase();
  if (transferEncoding === undefined) return undefined;
  if (isOldHttp) {
    return invalidArgument([{ path: 'transfer-encoding', message: 'must be absent in HTTP/1.0' }]);
  }
  if (transferEncoding === 'chunked') return undefined;
  // Without chunks at the end no one knows where the body ends.
  if (!/(?:^|,)\s*chunked\s*$/.test(transferEncoding)) {
    return invalidArgument([{ path: 'transfer-encoding', message: 'must be chunked, or absent' }]);
  }
  return new ServiceError(
    'not_implemented',
    'transfer-encoding: must be chunked; other codings are not supported',
  );
}
