import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import {
  type DescribedOperation,
  readApiDescription,
} from '@partner/proto-contracts/openapi/api-description';
import { fc } from '@partner/test-kit/fast-check';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { type Basis, oddRequest } from './fuzz/odd-request.js';
import { call } from './support/http-call.js';
import { signIn } from './support/owner-session.js';
import { createSurfaceSide } from './surfaces/surface-side.js';
import { kindFor, operationOf } from './surfaces/surface-operations.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** For each operation; with all of them the requests are more than 2,000. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 60);

const description = readApiDescription(
  createOpenApiDocument({ serverUrl: 'https://api.partner.example', sessionCookie: 'svc_session' }),
);

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({});
});

afterAll(() => stack.stop());

/** What is wrong with any response, whatever the request: the rules that have no exception. */
function violationsOf({ status, text, headers }: HttpResponse): readonly string[] {
  return [
    ...(status < 200 || status >= 500 ? [`the status is ${status}: ${text}`] : []),
    ...(headers.has('x-request-id') ? [] : ['x-request-id is missing']),
    ...(status < 400 || hasError(text) ? [] : [`the body has no error: ${text.slice(0, 500)}`]),
    ...(/<html|<!doctype|node_modules|^\s+at \S+ \(/im.test(text) ? ['the body reveals internals'] : []),
  ];
}

function hasError(text: string): boolean {
  return text.startsWith('{') && errorBody.safeParse(JSON.parse(text)).success;
}

/** A new company or session for each operation: so no limit of another one is met, and one of them signs out. */
async function callerOf(
  operation: DescribedOperation,
): Promise<Basis & { readonly headers: Readonly<Record<string, string>> }> {
  if (operation.path.startsWith('/partner-api/')) {
    const { headers } = await signIn(stack.baseUrl, stack.company('SALES').owner);
    return { headers, pathValue: 'whk_01k3jq2v3xf0rsr4tqz5w6y7e8', fields: {} };
  }
  const side = await createSurfaceSide(stack);
  return {
    headers: { 'x-api-key': side.keys[kindFor(operationOf(operation.id))] },
    pathValue: side.jobId,
    fields: {
      leadId: side.leadId,
      projectId: side.projectId,
      membershipIds: side.technicianIds.slice(0, 2),
      occurredAt: new Date().toISOString(),
      expectedVersion: 1,
    },
  };
}

describe('odd requests', () => {
  test.each(description.operations.map((operation) => [operation.id, operation] as const))(
    'of %s receive responses as described, never with an error of the service',
    async (_, operation) => {
      const { headers, ...basis } = await callerOf(operation);
      let turn = 0;
      await fc.assert(
        fc.asyncProperty(oddRequest(description, operation, basis), async ({ target, bytes }) => {
          // An odd path may be normalised in several ways.
          const isKnown = target.startsWith(operation.path.replace('{id}', basis.pathValue));
          const response = await (isKnown ? call : sendCall)(stack.baseUrl, target, {
            method: operation.method,
            headers: {
              ...headers,
              ...{ 'content-type': 'application/json', 'idempotency-key': `fuzz-${(turn += 1)}` },
            },
            ...(bytes === undefined ? {} : { bytes }),
          });
          expect({ violations: violationsOf(response) }).toEqual({ violations: [] });
        }),
        { numRuns: REQUESTS, endOnFailure: false },
      );
    },
  );
});
