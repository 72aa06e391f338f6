import { responseText } from './response-text.js';
import type { EndpointResponse } from './endpoint.js';
import { entityTagOf, namesEntityTag } from './entity-tag.js';

/** The response with its `ETag`; 304 without a body if `If-None-Match` names that tag. */
export function conditionalResponse(
  response: EndpointResponse,
  apiVersion: string,
  ifNoneMatch: string | undefined,
): EndpointResponse {
  const given = response.headers?.['etag'];
  const text = typeof given === 'string' ? undefined : responseText(response);
  const etag = text === undefined ? given : entityTagOf(apiVersion, text);
  if (response.status !== 200 || typeof etag !== 'string') return response;
  // A private cache may store it and revalidates each time; without storage the tag would be useless.
  const headers = { 'cache-control': 'private, no-cache', ...response.headers, etag };
  return ifNoneMatch !== undefined && namesEntityTag(ifNoneMatch, etag)
    ? { status: 304, headers }
    : { ...response, ...(text !== undefined && { text }), headers };
}
