import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import {
  type DescribedOperation,
  readApiDescription,
} from '@partner/proto-contracts/openapi/api-description';
import { createResponseCheck } from '@partner/test-kit/response-check';
import { fc } from '@partner/test-kit/fast-check';
import { type Exchange, exchange } from './fuzz/exchange.js';
import { type Credentials, oddRequest } from './fuzz/odd-request.js';
import { signIn } from './support/owner-session.js';
import { surfaceOf } from './surfaces/surface-operations.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** For each operation; with all of them the requests are more than 2,000. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 60);

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example',
  sessionCookie: 'svc_session',
});
const description = readApiDescription(document);
const agrees = createResponseCheck(document);

let stack: TestStack;
/** A separate session for each operation of the console: one of them signs out, and odd logins lock this address out. */
const sessions = new Map<string, Credentials['headers']>();

beforeAll(async () => {
  stack = await startTestStack({});
  for (const operation of description.operations) {
    if (serviceOf(operation) === 'console') sessions.set(operation.id, await sessionHeaders());
  }
});

afterAll(async () => {
  await stack.stop();
});

/** What is wrong with any response, whatever the request: the rules that have no exception. */
function violationsOf(response: Exchange, method: string): readonly string[] {
  const violations: string[] = [];
  if (response.status < 200 || response.status >= 500)
    violations.push(`the status is ${response.status}: ${response.text}`);
  if (response.header('x-request-id') === undefined) violations.push('x-request-id is missing');
  if (response.status >= 400 && method !== 'HEAD' && !hasError(response.text)) {
    violations.push(`the body has no error: ${response.text.slice(0, 500)}`);
  }
  if (/<html|<!doctype|node_modules|^\s+at \S+ \(/im.test(response.text))
    violations.push('the body reveals internals');
  return violations;
}

function hasError(text: string): boolean {
  return text.startsWith('{') && errorBody.safeParse(JSON.parse(text)).success;
}

function serviceOf(
  operation: Pick<DescribedOperation, 'path'>,
): 'inbound-gateway' | 'installer-gateway' | 'console' {
  if (operation.path.startsWith('/inbound/')) return 'inbound-gateway';
  return operation.path.startsWith('/partner/v1/') ? 'installer-gateway' : 'console';
}

function urlOf(operation: Pick<DescribedOperation, 'path'>): string {
  const { url } = stack.stack.description.services[serviceOf(operation)] ?? {};
  if (url === undefined) throw new Error(`${serviceOf(operation)} has no address`);
  return url;
}

async function credentialsFor(operation: DescribedOperation): Promise<Credentials> {
  const surface = surfaceOf(operation);
  if (surface === 'console') {
    return {
      headers: sessions.get(operation.id) ?? [],
      pathValue: 'whk_01k3jq2v3xf0rsr4tqz5w6y7e8',
      fields: {},
    };
  }
  // A separate company for each operation, so that the limit of the inbound surface is met by none.
  const side: SurfaceSide = await createSurfaceSide(stack);
  const ofInbound = operation.path.startsWith('/inbound/jobs') ? 'installer-contractor' : 'general';
  const kinds = { inbound: ofInbound, installer: 'installer-company', automation: 'automation' } as const;
  const kind = kinds[surface];
  return {
    headers: [['x-api-key', side.keys[kind]]],
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

async function sessionHeaders(): Promise<Credentials['headers']> {
  const { headers } = await signIn(stack.baseUrl, stack.company('SALES').owner);
  return Object.entries(headers);
}

describe('odd requests', () => {
  test.each(description.operations.map((operation) => [operation.id, operation] as const))(
    'of %s receive responses as described, never with an error of the service',
    async (_, operation) => {
      const credentials = await credentialsFor(operation);
      await fc.assert(
        fc.asyncProperty(oddRequest(description, operation, credentials), async (odd) => {
          const response = await exchange(urlOf(operation), odd);
          const reached = { ...response, method: odd.method, path: odd.target };
          // An odd path may be normalised in several ways, and headers that are too large are refused before there is a path.
          const described =
            odd.target.startsWith(operation.path.replace('{id}', credentials.pathValue)) &&
            response.status !== 431;
          expect({
            violations: [...violationsOf(response, odd.method), ...(described ? agrees(reached) : [])],
          }).toEqual({ violations: [] });
        }),
        { numRuns: REQUESTS, endOnFailure: false },
      );
    },
  );
});
