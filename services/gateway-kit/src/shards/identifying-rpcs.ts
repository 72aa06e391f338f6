import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  isMessage,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import {
  AccessService,
  AuthenticationService,
  LocationService,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';

/** What a shard knows about the caller that a request identifies. */
export interface Identified {
  /** Absent: the response does not name the company. */
  readonly companyId?: string | undefined;
  /** True: the response counts only if no other shard has a certain one. */
  readonly isTentative?: boolean;
}

/** An RPC that identifies its caller and names no company, so that any shard may be the one that knows the caller. */
export interface IdentifyingRpc {
  readonly method: DescMethod;
  /** The error with which a shard says that it does not know the caller; absent: it responds without fields. */
  readonly unknownReason?: ErrorReason;
  /** Returns what a response identifies; undefined if the shard does not know the caller. */
  identify(response: unknown): Identified | undefined;
}

/** Identifies a company by its id. */
export const LOCATE_COMPANY = identifying(
  LocationService.method.locateCompany,
  ({ companyId }) => companyId && { companyId },
);

const access = AccessService.method;
const notFound = { unknownReason: 'not_found', identify: () => ({}) } as const;

const RPCS: readonly IdentifyingRpc[] = [
  {
    ...identifying(AuthenticationService.method.authenticateKey, ({ companyId }) => ({ companyId })),
    unknownReason: 'unauthenticated',
  },
  LOCATE_COMPANY,
  identifying(access.locateAddress, ({ companyId }) => companyId && { companyId }),
  identifying(access.getLogin, ({ login }) => login && { companyId: login.companyId }),
  identifying(
    access.getProviderLogin,
    // A link decides before a matching email address, whichever shards have them.
    ({ login, isLinked }) => login && { companyId: login.companyId, isTentative: isLinked !== true },
  ),
  identifying(access.requestPasswordLink, ({ email }) => email && {}),
  { method: access.getPasswordLink, ...notFound },
  { method: access.usePasswordLink, ...notFound },
  { method: access.confirmTechnicalContact, ...notFound },
];

/** The identifying RPCs of gateways and console. All others that they call name their company, or are for one shard. */
export const IDENTIFYING_RPCS: ReadonlyMap<DescMethod, IdentifyingRpc> = new Map(
  RPCS.map((rpc) => [rpc.method, rpc]),
);

function identifying<O extends DescMessage>(
  method: DescMethodUnary<DescMessage, O>,
  identify: (response: MessageShape<O>) => Identified | '' | undefined,
): IdentifyingRpc {
  return {
    method,
    identify: (response) => (isMessage(response, method.output) && identify(response)) || undefined,
  };
}
