import type { EndpointResponse } from './endpoint.js';

/** Returns the response body as sent; undefined if there is none. */
export function responseText({ text, json }: Pick<EndpointResponse, 'text' | 'json'>): string | undefined {
  return text ?? (json === undefined ? undefined : JSON.stringify(json));
}
