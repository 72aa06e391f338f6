import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import {
  type DescribedOperation,
  readApiDescription,
} from '@partner/proto-contracts/openapi/api-description';
import { createResponseCheck } from '@partner/test-kit/response-check';
import { fc } from '@partner/test-kit/fast-check';
import { type Exchange, exchange, exchangeBytes } from './fuzz/exchange.js';
import { type Credentials, oddRequest } from './fuzz/odd-request.js';
import { call } from './support/http-call.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** For each operation; with all of them the requests are more than 2,000. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 120);

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example',
  sessionCookie: 'svc_session',
});
const description = readApiDescription(document);
const agrees = createResponseCheck(document);

let stack: TestStack;
/** For each operation of the console a session of its own: one of them signs out, and odd logins lock this address out. */
const sessions = new Map<string, Credentials['headers']>();
let sent = 0;

beforeAll(async () => {
  stack = await startTestStack({});
  for (const operation of description.operations) {
    if (serviceOf(operation) === 'console') sessions.set(operation.id, await sessionHeaders());
  }
});

afterAll(async () => {
  await stack.stop();
});

/** What is wrong with any answer, whatever was asked: the rules that have no exception. */
function faultsOf(answer: Exchange, method: string): readonly string[] {
  const faults: string[] = [];
  if (answer.status < 200 || answer.status >= 500)
    faults.push(`the status is ${answer.status}: ${answer.text}`);
  if (answer.header('x-request-id') === undefined) faults.push('x-request-id is missing');
  if (answer.status >= 400 && method !== 'HEAD' && !hasError(answer.text)) {
    faults.push(`the body has no error: ${answer.text.slice(0, 500)}`);
  }
  if (/<html|<!doctype|node_modules|^\s+at \S+ \(/im.test(answer.text))
    faults.push('the body tells of the inside');
  return faults;
}

function hasError(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
  } catch {
    return false;
  }
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
  if (serviceOf(operation) === 'console') {
    return {
      headers: sessions.get(operation.id) ?? [],
      pathValue: 'whk_01k3jq2v3xf0rsr4tqz5w6y7e8',
      fields: {},
    };
  }
  // A company of its own for each operation, so that the limit of the inbound surface is met by none.
  const side: SurfaceSide = await createSurfaceSide(stack);
  const kind =
    serviceOf(operation) === 'installer-gateway'
      ? 'installer-company'
      : operation.path.startsWith('/inbound/jobs')
        ? 'installer-contractor'
        : 'general';
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
  const [company] = stack.companies('SALES');
  if (company === undefined) throw new Error('the sandbox has no sales company');
  const { origin } = new URL(stack.baseUrl);
  const answer = await call(stack.baseUrl, '/partner-api/session', {
    method: 'POST',
    headers: { origin },
    body: company.owner,
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`the owner could not sign in: ${answer.status} ${answer.text}`);
  return [
    ['cookie', cookie],
    ['origin', origin],
  ];
}

describe('odd requests', () => {
  test.each(description.operations.map((operation) => [operation.id, operation] as const))(
    'of %s are answered as described, never with a fault of the service',
    async (_, operation) => {
      const credentials = await credentialsFor(operation);
      await fc.assert(
        fc.asyncProperty(oddRequest(description, operation, credentials), async (odd) => {
          sent += 1;
          const answer = await exchange(urlOf(operation), odd);
          const reached = { ...answer, method: odd.method, path: odd.target };
          // Which path an odd one is, nobody has to agree on; and too large headers are refused before there is a path.
          const described =
            odd.target.startsWith(operation.path.replace('{id}', credentials.pathValue)) &&
            answer.status !== 431;
          expect({
            faults: [...faultsOf(answer, odd.method), ...(described ? agrees(reached) : [])],
          }).toEqual({ faults: [] });
        }),
        { numRuns: REQUESTS, endOnFailure: false },
      );
    },
  );

  test('were at least 2,000', () => {
    expect(sent).toBeGreaterThanOrEqual(2_000);
  });
});

describe('what is hardly HTTP', () => {
  const body = 'content-length: 2\r\n\r\n{}';
  test.each([
    ['a line without sense', 'hello\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown method', `BREW PATH HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a target without a slash', `POST inbound HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${body}`],
    [
      'a target of a whole URL',
      `GET http://other.example/PATH HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    ],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
    ['two lengths', `POST PATH HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n${body}`],
    ['a length and chunks', `POST PATH HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n${body}`],
    ['a length below zero', 'POST PATH HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n'],
    ['chunks without sense', 'POST PATH HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['a header without a colon', 'GET PATH HTTP/1.1\r\nhost: a\r\nnonsense\r\n\r\n'],
    [
      'a header folded over lines',
      'GET PATH HTTP/1.1\r\nhost: a\r\nx-a: b\r\n c\r\nconnection: close\r\n\r\n',
    ],
    ['a control character in a header', 'GET PATH HTTP/1.1\r\nhost: a\r\nx-a: \x01\r\n\r\n'],
    ['no host', 'GET PATH HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['two hosts', 'GET PATH HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n'],
    ['HTTP/1.0', 'GET PATH HTTP/1.0\r\n\r\n'],
    ['HTTP/2.0', 'GET PATH HTTP/2.0\r\nhost: a\r\n\r\n'],
    ['headers of 20 KB', `GET PATH HTTP/1.1\r\nhost: a\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['4,000 headers', `GET PATH HTTP/1.1\r\nhost: a\r\n${'x: y\r\n'.repeat(4_000)}\r\n`],
    ['a target of 20 KB', `GET PATH?${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['an expectation', 'GET PATH HTTP/1.1\r\nhost: a\r\nexpect: magic\r\nconnection: close\r\n\r\n'],
  ])('gets an error body too: %s', async (_, bytes) => {
    for (const path of ['/inbound/jobs', '/partner/v1/jobs', '/partner-api/webhooks']) {
      const answer = await exchangeBytes(urlOf({ path }), bytes.replace('PATH', path));
      expect({ path, status: answer.status, faults: faultsOf(answer, 'GET') }).toEqual({
        path,
        status: expect.any(Number),
        faults: [],
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });
});
