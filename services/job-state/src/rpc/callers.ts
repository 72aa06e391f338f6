import type { RpcService } from '@partner/kernel/amqp/rpc-service';
import { invalidArgument } from '@partner/kernel/process/validation';

/** Who calls through a queue. The exchange in front of it decides, because the broker knows who may publish there. */
export type Callers = 'gateways' | 'console' | 'operators';

interface NamedActor {
  readonly membershipId?: string | undefined;
  readonly displayName?: string | undefined;
}

type UnaryMethod = Extract<RpcService['methods'][string], { readonly kind: 'unary' }>;

/**
 * Returns a service that refuses requests in the name of others than its callers: an owner has a membership, an operator and an API key
 * have a name alone. Fails with `invalid_argument`.
 */
export function servedTo(callers: Callers, { service, methods }: RpcService): RpcService {
  return {
    service,
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, spec]) => [
        name,
        spec.kind === 'unary' ? checked(callers, spec) : spec,
      ]),
    ),
  };
}

function checked(callers: Callers, spec: UnaryMethod): UnaryMethod {
  return {
    ...spec,
    async impl(request, context) {
      const problem = problemOf(callers, actorIn(request));
      if (problem !== undefined) throw invalidArgument([problem]);
      return spec.impl(request, context);
    },
  };
}

/** The actor of a request; a caller of an earlier version only names the membership. */
function actorIn(request: object): NamedActor {
  const actor: NamedActor =
    'actor' in request && typeof request.actor === 'object' && request.actor !== null ? request.actor : {};
  const acting = 'actingMembershipId' in request ? request.actingMembershipId : undefined;
  return { ...actor, membershipId: actor.membershipId ?? (typeof acting === 'string' ? acting : undefined) };
}

function problemOf(callers: Callers, { membershipId, displayName }: NamedActor) {
  if (callers === 'console') {
    return membershipId === undefined && displayName !== undefined
      ? { path: 'actor.membership_id', message: 'must name a person of the company' }
      : undefined;
  }
  if (membershipId !== undefined)
    return { path: 'actor.membership_id', message: 'must be absent: no owner calls here' };
  const prefix = callers === 'operators' ? 'operator: ' : 'API key ';
  return displayName !== undefined && !displayName.startsWith(prefix)
    ? { path: 'actor.display_name', message: `must begin with "${prefix}"` }
    : undefined;
}
