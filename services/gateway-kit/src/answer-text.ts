import type { EndpointAnswer } from './endpoint.js';

/** The body of an answer as it is sent; undefined for none. */
export function answerText({ text, json }: Pick<EndpointAnswer, 'text' | 'json'>): string | undefined {
  return text ?? (json === undefined ? undefined : JSON.stringify(json));
}
