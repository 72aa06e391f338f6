import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import type {
  IdempotencyKeySchema,
  IdempotencyOutcome,
} from '@partner/proto-contracts/gen/partner/rpc/v1/idempotency_pb';
import { expectedVersionOnTheWire } from '@partner/proto-contracts/values/expected-version';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import type { EndpointResponse, EndpointRequest } from '@partner/gateway-kit/endpoint';
import { idempotencyHeadersOf, idempotencyKeyOf } from '@partner/gateway-kit/idempotency';
import { invariant } from '@partner/kernel/invariant';
import { jobText } from './job-text.js';

/** Fields of every write to a job. */
export interface JobWriteFields {
  readonly companyId: string;
  readonly jobId: string | undefined;
  readonly idempotencyKey: MessageInitShape<typeof IdempotencyKeySchema>;
  readonly expectedVersion: number;
}

/**
 * Writes to the job of the path through job-state. The response holds the job at its new version, and until when the
 * write can be replayed (spec: Installer v1, rule 3; Idempotency rules).
 */
export async function writeJob(
  request: EndpointRequest<ApiKeyPrincipal, unknown, { readonly expectedVersion: number }>,
  status: 200 | 201,
  write: (
    fields: JobWriteFields,
    call: CallOptions,
  ) => Promise<{
    readonly resourceJson?: string | undefined;
    readonly idempotency?: IdempotencyOutcome | undefined;
  }>,
): Promise<EndpointResponse> {
  const idempotencyKey = idempotencyKeyOf(request);
  invariant(idempotencyKey, 'the endpoint requires an Idempotency-Key');
  const { resourceJson, idempotency } = await write(
    {
      companyId: request.principal.companyId,
      jobId: request.params['id'],
      idempotencyKey,
      expectedVersion: expectedVersionOnTheWire(request.body.expectedVersion),
    },
    request.call,
  );
  return {
    status,
    text: jobText(request.apiVersion, resourceJson),
    headers: idempotencyHeadersOf(idempotency),
  };
}
