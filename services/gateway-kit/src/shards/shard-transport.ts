import type { Transport } from '@connectrpc/connect';
import { notCarriedOut, serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { ServiceError } from '@partner/kernel/service-error';
import { LocationService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { LRUCache } from 'lru-cache';
import {
  IDENTIFYING_RPCS,
  type Identified,
  type IdentifyingRpc,
  LOCATE_COMPANY,
} from './identifying-rpcs.js';

/**
 * How long a shard's statement that a company is there is relied on, counted from the start of the call. A move waits longer,
 * so no call reaches a shard that the company has left.
 */
export const LOCATED_MS = 4_000;
const LOCATED_COMPANIES = 10_000;
/**
 * A company that moves between two calls of a round is in neither response. It is there in the second round, because a move
 * takes longer than a call.
 */
const ROUNDS = 2;

/** The shard of a company. */
interface Home {
  readonly shard: Transport;
  /** Monotonic time until which it is relied on, in ms. */
  readonly until: number;
}

/**
 * A transport that calls the shard of the company that a request names.
 *
 * An RPC that identifies its caller (see {@link IDENTIFYING_RPCS}) is sent to all shards; the first that knows the caller
 * responds, and the company's shard is remembered for 4 s. If none knows the caller and one did not respond, the call fails
 * with the error of that one, e.g. `unavailable`, never with `unauthenticated` or `not_found`.
 *
 * Any other RPC is sent to the shard of its company, which is located first if it is not remembered. A company that is in no
 * shard is left to the first one. The timeout of a call includes locating.
 */
export function createShardTransport(deps: {
  /** A transport to each shard. The first one has the companies that are in none. */
  readonly shards: readonly [Transport, ...Transport[]];
  /** Timeout of a call without one, in ms. */
  readonly defaultTimeoutMs: number;
  readonly monotonicMs: () => number;
}): Transport {
  const { shards, monotonicMs } = deps;
  const homes = new LRUCache<string, Home>({ max: LOCATED_COMPANIES });
  const lookups = new Map<string, Promise<Home | undefined>>();

  function remember(companyId: string, home: Home): void {
    // The response to an earlier call can arrive later.
    if ((homes.get(companyId)?.until ?? -Infinity) <= home.until) homes.set(companyId, home);
  }

  async function askAll<R extends { readonly message: unknown }>(
    rpc: IdentifyingRpc,
    timeoutMs: number,
    call: (shard: Transport, timeoutMs: number) => Promise<R>,
  ): Promise<{ readonly response: R; readonly home: Home | undefined }> {
    const deadline = monotonicMs() + timeoutMs;
    for (let round = 1; ; round += 1) {
      const startedAt = monotonicMs();
      const reply = await firstKnown(
        shards.map(async (shard) => {
          const response = await call(shard, deadline - startedAt);
          return { shard, response, identified: rpc.identify(response.message) };
        }),
        rpc,
      );
      if ('identified' in reply) {
        const { shard, response, identified } = reply;
        const home = { shard, until: startedAt + LOCATED_MS };
        if (identified?.companyId !== undefined) remember(identified.companyId, home);
        if (identified !== undefined) return { response, home };
        if (round === ROUNDS) return { response, home: undefined };
      } else if (round === ROUNDS || reply.error.reason !== rpc.unknownReason) throw reply.error;
    }
  }

  function locate(companyId: string, timeoutMs: number): Promise<Home | undefined> {
    const joined = lookups.get(companyId);
    if (joined !== undefined) return joined;
    const method = LocationService.method.locateCompany;
    const lookup = askAll(LOCATE_COMPANY, timeoutMs, (shard, leftMs) =>
      shard.unary(method, undefined, leftMs, undefined, { companyId }),
    )
      .then(({ home }) => home)
      .finally(() => lookups.delete(companyId));
    lookups.set(companyId, lookup);
    return lookup;
  }

  async function shardOf(companyId: string, timeoutMs: number): Promise<Transport> {
    const known = homes.get(companyId);
    if (known !== undefined && known.until > monotonicMs()) return known.shard;
    const home = await locate(companyId, timeoutMs);
    if (home === undefined) return shards[0];
    if (home.until > monotonicMs()) return home.shard;
    throw notCarriedOut(new Error(`the shard of ${companyId} was located too slowly to rely on it`));
  }

  return {
    async unary(method, signal, timeoutMs, header, input) {
      const limitMs = timeoutMs ?? deps.defaultTimeoutMs;
      const rpc = IDENTIFYING_RPCS.get(method);
      if (rpc !== undefined) {
        const { response } = await askAll(rpc, limitMs, (shard, leftMs) =>
          shard.unary(method, signal, leftMs, header, input),
        );
        return response;
      }
      const companyId = companyIn(input);
      if (companyId === undefined) {
        throw ServiceError.from(new Error(`${method.name} names no company, so it has no shard`));
      }
      const startedAt = monotonicMs();
      const shard = await shardOf(companyId, limitMs);
      return shard.unary(method, signal, limitMs - (monotonicMs() - startedAt), header, input);
    },
    stream(method) {
      return Promise.reject(ServiceError.from(new Error(`${method.name} is a stream`)));
    },
  };
}

/** Returns the company of a request; a contractor's request names the company that sold the job. */
function companyIn(input: object): string | undefined {
  const name: unknown = Reflect.get(input, 'companyId') ?? Reflect.get(input, 'sellingCompanyId');
  return typeof name === 'string' ? name : undefined;
}

interface Reply<R> {
  readonly shard: Transport;
  readonly response: R;
  readonly identified: Identified | undefined;
}

/**
 * Resolves to the first reply of a shard that knows the caller. Without one it waits for all, and resolves to a tentative
 * reply, if all others responded; else to the error of a shard that could not tell, if there is one; else to what a shard
 * says that does not know the caller.
 */
function firstKnown<R>(
  calls: readonly Promise<Reply<R>>[],
  { unknownReason }: IdentifyingRpc,
): Promise<Reply<R> | { readonly error: ServiceError }> {
  return new Promise((resolve) => {
    const replies: Reply<R>[] = [];
    const errors: ServiceError[] = [];
    const settled = () => {
      if (replies.length + errors.length < calls.length) return;
      const failures = errors.filter(({ reason }) => reason !== unknownReason);
      // `unavailable` says least about the request.
      const failure = failures.find(({ reason }) => reason !== 'unavailable') ?? failures[0];
      if (failure !== undefined) return resolve({ error: failure });
      const reply = replies.find(({ identified }) => identified !== undefined) ?? replies[0];
      const [error] = errors;
      if (reply !== undefined) resolve(reply);
      else if (error !== undefined) resolve({ error });
    };
    for (const call of calls) {
      call.then(
        (reply) => {
          replies.push(reply);
          const { identified } = reply;
          if (identified !== undefined && identified.isTentative !== true) resolve(reply);
          settled();
        },
        (thrown: unknown) => {
          errors.push(serviceErrorFrom(thrown));
          settled();
        },
      );
    }
  });
}
