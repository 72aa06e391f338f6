import { createOpenApiDocument } from '@partner/proto-contracts/public-api/openapi';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createAnswerCheck } from './answer-check.js';

/**
 * Has every answer that an app gives in a test checked against the API description: put the app through what is returned. After
 * a test in which an answer differed, `afterEach` throws with all differences.
 */
export function checkAnswers(
  afterEach: (check: () => void) => void,
): (app: RequestListener) => RequestListener {
  const check = createAnswerCheck(
    createOpenApiDocument({ serverUrl: 'https://partner.example', sessionCookie: '__Host-svc_session' }),
  );
  const faults: string[] = [];
  afterEach(() => {
    const found = faults.splice(0);
    if (found.length > 0) throw new Error(`answers differ from the API description:\n${found.join('\n')}`);
  });
  return (app) => (request, response) => {
    // The description is of bodies without a content coding.
    delete request.headers['accept-encoding'];
    whenAnswered(request, response, (text) => {
      faults.push(
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

/** Calls back with the body, before it is sent, when the app ends its answer with the whole of it, as every app here does. */
function whenAnswered(
  request: IncomingMessage,
  response: ServerResponse,
  tell: (text: string) => void,
): void {
  const end = response.end.bind(response);
  Object.defineProperty(response, 'end', {
    value: (text = '') => {
      tell(request.method === 'HEAD' ? '' : text);
      return end(text);
    },
  });
}
