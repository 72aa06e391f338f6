import { subscriptionIn } from '@partner/proto-contracts/resources/subscription/subscription';
import { validate } from '@partner/kernel/process/validation';
import { type Caller, type Endpoints, judgeEndpoint } from './check-endpoint.js';

const urlOnly = subscriptionIn.pick({ url: true });

/**
 * Returns why no subscription can be created with a URL; undefined if one can (spec: Subscription URL rules).
 *
 * The message is that of the creation for `url`. The dispatcher is only called for a URL with valid text. Fails with
 * `unavailable` as the creation does.
 */
export async function refusalOfUrl(
  endpoints: Endpoints,
  url: string,
  caller: Caller,
): Promise<string | undefined> {
  const checked = validate(urlOnly, { url }, 'url');
  if (!checked.valid) return checked.violations[0]?.message ?? 'is not valid';
  const verdict = await judgeEndpoint(endpoints, checked.value.url, caller);
  return 'refusal' in verdict ? verdict.refusal : undefined;
}
