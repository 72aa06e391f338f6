import type { EndpointAnswer } from './endpoint.js';

/** Returns the response body as sent; undefined if there is none. */
export function answerText({ text, json }: Pick<EndpointAnswer, 'text' | 'json'>): string | undefined {
  return text ?? (json === undefined ? undefined : JSON.stringify(json));
}
