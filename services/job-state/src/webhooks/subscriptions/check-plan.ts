import { invariant } from '@partner/kernel/process/invariant';
import { invalidArgument } from '@partner/kernel/process/validation';
import { refusalWithoutSigningKeys } from '../deliveries/signing-keys.js';
import { type Endpoints, judgeEndpoint } from './check-endpoint.js';
import type { CreateSubscriptionDeps } from './create-subscription.js';
import type { Caller } from './get-subscription.js';
import type { ProposalPlan } from './proposal-record.js';

/**
 * Checks of a plan what the file alone does not say: that this service can sign as it wants, and that the dispatcher may send to its new
 * URLs. Returns the verdicts on these. Fails with `invalid_argument` and every violation, and with `unavailable` as a creation does.
 */
export async function checkPlan(
  { endpoints, signingKeys }: Pick<CreateSubscriptionDeps, 'endpoints' | 'signingKeys'>,
  { steps }: ProposalPlan,
  deadline: Pick<Caller, 'timeoutMs'>,
): Promise<Endpoints> {
  const wanted = steps.flatMap((step) => {
    if (step.kind === 'create') return [{ place: step.place, ...step.wanted }];
    return step.kind === 'change' ? [{ place: step.place, ...step.change }] : [];
  });
  const urls = new Set(wanted.flatMap(({ url }) => url ?? []));
  const verdicts = new Map(
    await Promise.all(
      [...urls].map(async (url) => [url, await judgeEndpoint(endpoints, url, deadline)] as const),
    ),
  );
  const violations = wanted.flatMap(({ place, url, asymmetricSignature }) => {
    const verdict = url === undefined ? undefined : verdicts.get(url);
    const refusals = {
      url: verdict !== undefined && 'refusal' in verdict ? verdict.refusal : undefined,
      asymmetricSignature: refusalWithoutSigningKeys(signingKeys, { asymmetricSignature }),
    };
    return Object.entries(refusals).flatMap(([field, message]) =>
      message === undefined ? [] : [{ path: `${place}.${field}`, message }],
    );
  });
  if (violations.length > 0) throw invalidArgument(violations);
  return {
    async check(url) {
      const verdict = verdicts.get(url);
      invariant(verdict, 'the plan is the one whose URLs were checked');
      return verdict;
    },
  };
}
