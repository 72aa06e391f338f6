import type { ResourceResponse } from '@partner/proto-contracts/resource-json';
import type { EndpointResponse } from '@partner/gateway-kit/http/endpoint';
import { requiredField } from './required-field.js';

/** Returns the response for a public resource that job-state rendered; the console never parses the text. */
export function forwardResource(status: number, { resourceJson }: ResourceResponse): EndpointResponse {
  return { status, text: requiredField(resourceJson, 'the resource') };
}
