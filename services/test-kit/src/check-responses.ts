import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createResponseCheck } from './response-check.js';

/**
 * Checks every response of an app in a test against the API description: wrap the app with the returned function. After
 * a test with a mismatch, `afterEach` throws with all of them.
 */
export function checkResponses(
  afterEach: (check: () => void) => void,
): (app: RequestListener) => RequestListener {
  const check = createResponseCheck(
    createOpenApiDocument({ serverUrl: 'https://partner.example', sessionCookie: '__Host-svc_session' }),
  );
  const violations: string[] = [];
  afterEach(() => {
    const found = violations.splice(0);
    if (found.length > 0) throw new Error(`responses differ from the API description:\n${found.join('\n')}`);
  });
  return (app) => (request, response) => {
    // The description covers bodies without a content coding.
    delete request.headers['accept-encoding'];
    whenEnded(request, response, (text) => {
      // Pages are described by their tests.
      if (/^\/(?:console|docs)\//.test(request.url ?? '')) return;
      violations.push(
        ...check({
          method: request.method ?? '',
          path: request.url ?? '',
          status: response.statusCode,
          header: (name) => response.getHeader(name)?.toString(),
          text,
        }),
      );
    });
    app(request, response);
  };
}

/** Calls back with the body just before its end is sent; with none for a stream, whose events the description leaves out. */
function whenEnded(request: IncomingMessage, response: ServerResponse, tell: (text: string) => void): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const parts: Buffer[] = [];
  Object.defineProperty(response, 'write', {
    value: (part: string | Uint8Array, ...rest: []) => {
      parts.push(Buffer.from(part));
      return write(part, ...rest);
    },
  });
  Object.defineProperty(response, 'end', {
    value: (part: string | Uint8Array = '') => {
      const isStream =
        response.getHeader('content-type')?.toString().startsWith('text/event-stream') === true;
      const text = Buffer.concat([...parts, Buffer.from(part)]).toString();
      tell(request.method === 'HEAD' || isStream ? '' : text);
      return end(part);
    },
  });
}
