import { invariant } from '@partner/kernel/process/invariant';
import { responseText } from './response-text.js';
import { isJsonObject, type Rewrite } from '../versions/api-versions.js';
import type { EndpointResponse } from './endpoint.js';
import { entityTagOf, namesEntityTag } from './entity-tag.js';

/** The response in the form of another version. */
export function rewrittenResponse(response: EndpointResponse, rewrite: Rewrite): EndpointResponse {
  const { status, headers = {} } = response;
  const text = responseText(response);
  if (text === undefined) return response;
  const body: unknown = JSON.parse(text);
  invariant(isJsonObject(body), 'a response that versions differ in is an object');
  return { status, headers, json: rewrite(body) };
}

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
