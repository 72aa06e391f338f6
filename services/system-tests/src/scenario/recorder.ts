import type { HttpResponse, Call } from '@partner/test-kit/http-call';
import { call } from '../support/http-call.js';
import type { Piece } from './canaries.js';

export interface Recorder {
  readonly pieces: readonly Piece[];
  keep(place: string, what: string, text: string): void;
  /** Sends a request, and keeps its body as a source and the whole response at the place. */
  call(place: string, path: string, options?: Call): Promise<HttpResponse>;
}

export function createResponseRecorder(baseUrl: string): Recorder {
  const pieces: Piece[] = [];
  const keep: Recorder['keep'] = (place, what, text) => void pieces.push({ place, what, text });
  return {
    pieces,
    keep,
    async call(place, path, options = {}) {
      const what = `${options.method ?? 'GET'} ${path}`;
      keep('requests', what, JSON.stringify(options));
      const response = await call(baseUrl, path, options);
      keep(place, `${what} ${response.status}`, `${JSON.stringify([...response.headers])}\n${response.text}`);
      return response;
    },
  };
}
