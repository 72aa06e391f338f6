import { recordTestRequestOperation } from '@partner/proto-contracts/internal/webhooks/record-test-request';
import { getTestReceiverOperation } from '@partner/proto-contracts/resources/test-request/operations';
import { TEST_RECEIVER_LIMITS } from '@partner/proto-contracts/resources/test-request/test-request';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import { POSITION } from '@partner/gateway-kit/operations/cursor-signer';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import type { ConsoleDeps } from '../console-deps.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** The path of each company's test receiver is below it. */
export const TEST_RECEIVERS = '/console/test-receiver/';
const POSITION_OF_RECEIVER = Buffer.of(POSITION.testReceiver);

type Address = Pick<ConsoleDeps, 'cursorSigner'>;

/** Returns the company whose test receiver a path is, by the signature in it; undefined for any other path. */
export function testReceiverOf({ cursorSigner }: Address, path: string): string | undefined {
  if (!path.startsWith(TEST_RECEIVERS)) return undefined;
  const [companyId = '', token = ''] = path.slice(TEST_RECEIVERS.length).split('/');
  try {
    return cursorSigner.open(companyId, token).equals(POSITION_OF_RECEIVER) ? companyId : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the test receiver of the company, with its address. */
export function testReceiverEndpoint(
  deps: ConsoleDeps,
  forwarding: Forwarding<OwnerSession>,
): AnyEndpoint<OwnerSession> {
  return serveOperation(getTestReceiverOperation, async (request) => {
    const { companyId, role } = request.principal;
    const token = deps.cursorSigner.sign(companyId, POSITION_OF_RECEIVER);
    const url =
      deps.webhookBaseUrl && new URL(`${TEST_RECEIVERS}${companyId}/${token}`, deps.webhookBaseUrl).href;
    const { json } = await callFor(getTestReceiverOperation, request, forwarding);
    // With the whole address a viewer could send to it.
    const shown = url === undefined || role === 'owner' ? url : shortUrl(url);
    const completed = `{"url":${JSON.stringify(shown ?? null)},${json.slice(1)}`;
    return responseTo(getTestReceiverOperation, request, { json: completed });
  });
}

/** Receives whatever arrives at the test receiver of a company. Its address is the proof. Must not be served in production. */
export function receiveTestRequest<Principal>(
  deps: Address & Pick<ConsoleDeps, 'operations'>,
): AnyEndpoint<Principal> {
  const operation = {
    id: 'receiveTestRequest',
    method: 'post',
    path: `${TEST_RECEIVERS}:company/:token`,
    unauthenticated: true,
    bodyType: 'bytes',
    body: z.string().default(''),
    maxBodyBytes: TEST_RECEIVER_LIMITS.bodyBytes,
  } as const;
  return serveOperation(operation, async ({ operation: asked, headers, body: bodyBase64, call }) => {
    const companyId = testReceiverOf(deps, asked.replace('POST ', ''));
    if (companyId === undefined) throw new ServiceError('not_found', 'path: does not exist');
    await deps.operations.callInternal(recordTestRequestOperation, { companyId, headers, bodyBase64 }, call);
    return { status: 204 };
  });
}
