import { hash } from 'node:crypto';
import { type EndpointResponse, responseText } from './endpoint.js';

/**
 * Returns the entity tag of a body in one version of the API. It is weak (RFC 9110, 8.8.3), so it is the same in every
 * coding.
 */
export function entityTagOf(apiVersion: string, body: string): string {
  return `W/"${hash('sha256', `${apiVersion}\n${body}`, 'base64url')}"`;
}

/** One member of a list of entity tags, including the comma after it. */
const LIST_MEMBER = /[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/gy;

/**
 * Returns whether an `If-None-Match` header names an entity tag, by weak comparison (RFC 9110, 13.1.2). `*` names any.
 * A malformed header names none.
 */
export function namesEntityTag(ifNoneMatch: string, entityTag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const members = [...ifNoneMatch.matchAll(LIST_MEMBER)];
  const end = members.reduce((length, [member]) => length + member.length, 0);
  return /^[ \t,]*$/.test(ifNoneMatch.slice(end)) && members.some(([, tag]) => `W/${tag}` === entityTag);
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
