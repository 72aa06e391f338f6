import { expect } from '@jest/globals';
import type { OperationResponse } from '@partner/proto-contracts/api/operation';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { invariant } from '@partner/kernel/process/invariant';
import { z } from 'zod';

/** An operation with one kind of response. */
export interface OneResponse<Output> {
  readonly id: string;
  readonly responses: Readonly<Record<number, OperationResponse<Output>>>;
}

interface Reply {
  readonly json: string;
}

/** Parses a response, which must have every field that the schema has, and no other. */
export function parsed<Output>(schema: z.ZodType<Output>, { json }: Reply): Output {
  const resource = schema.parse(JSON.parse(json));
  expect(resource).toEqual(JSON.parse(json));
  return resource;
}

export function parsedResponse<Output>({ responses }: OneResponse<Output>, reply: Reply): Output {
  const schema = Object.values(responses).find((response) => response.schema !== undefined)?.schema;
  invariant(schema, 'the operation has a response with a body');
  return parsed(schema, reply);
}

/** Parses a response to the key of an installer company, to which its gateway adds the version of the API. */
export function installerResponse<Output>(operation: OneResponse<Output>, { json }: Reply): Output {
  const sent = z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  return parsedResponse(operation, { json: JSON.stringify({ apiVersion: CURRENT_API_VERSION, ...sent }) });
}
