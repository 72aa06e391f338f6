import type { ResourceResponse } from '@partner/proto-contracts/resource-json';
import type { EndpointAnswer } from '@partner/gateway-kit/endpoint';
import { requiredField } from './required-field.js';

/** Answers with a public resource as job-state rendered it; the console never parses the text. */
export function forwardResource(status: number, { resourceJson }: ResourceResponse): EndpointAnswer {
  return { status, text: requiredField(resourceJson, 'the resource') };
}
