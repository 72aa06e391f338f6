import { invariant } from '@partner/kernel/invariant';
import { responseText } from './response-text.js';
import { isJsonObject, type Rewrite } from './api-versions.js';
import type { EndpointResponse } from './endpoint.js';
import { entityTagOf, namesEntityTag } from './entity-tag.js';

/** The response in the form of another version. */
export function rewrittenResponse(answer: EndpointResponse, rewrite: Rewrite): EndpointResponse {
  const { status, headers = {} } = answer;
  const text = responseText(answer);
  if (text === undefined) return answer;
  const body: unknown = JSON.parse(text);
  invariant(isJsonObject(body), 'a response that versions differ in is an object');
  return { status, headers, json: rewrite(body) };
}

/** The response with its `ETag`; 304 without a body if `If-None-Match` names that tag. */
export function conditionalResponse(
  answer: EndpointResponse,
  apiVersion: string,
  ifNoneMatch: string | undefined,
): EndpointResponse {
  const text = responseText(answer);
  if (answer.status !== 200 || text === undefined) return answer;
  const given = answer.headers?.['etag'];
  const etag = typeof given === 'string' ? given : entityTagOf(apiVersion, text);
  // A cache may keep it for its own user and asks again each time, or the tag would be of no use to it.
  const headers = { 'cache-control': 'private, no-cache', ...answer.headers, etag };
  return ifNoneMatch !== undefined && namesEntityTag(ifNoneMatch, etag)
    ? { status: 304, headers }
    : { ...answer, text, headers };
}
