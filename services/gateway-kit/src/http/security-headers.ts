import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Returns the security headers of an API, the same for every response. Its responses are not pages, so they may load and frame nothing. */
export function createSecurityHeaders(): Map<string, string> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const directives = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };
  helmet({ contentSecurityPolicy: { useDefaults: false, directives } })(request, response, () => undefined);
  return new Map(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
