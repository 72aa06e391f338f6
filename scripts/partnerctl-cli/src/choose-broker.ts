import { ownVhostUrl } from '@partner/local-stack/backing-services/backing-service';
import type { StackDescription } from '@partner/local-stack/stack/stack-description';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';

export interface ChosenBroker {
  readonly amqpUrl: string | undefined;
  /** Undefined if none runs, or if it uses another broker. */
  readonly stack: StackDescription | undefined;
  /** Whether a local stack runs that uses another broker. */
  readonly isStackLeftOut: boolean;
}

/**
 * Chooses the broker, and uses the local stack only if that uses the same one. A variable that names the stack's broker is read as in
 * `scripts/up`: the stack uses its own vhost there. An option names a vhost exactly.
 */
export function chooseBroker(
  given: { readonly option: string | undefined; readonly variable: string | undefined },
  stack: StackDescription | undefined,
): ChosenBroker {
  const amqpUrl = given.option ?? given.variable;
  if (amqpUrl === undefined || stack === undefined)
    return { amqpUrl: amqpUrl ?? stack?.amqpUrl, stack, isStackLeftOut: false };
  const meant =
    given.option === undefined && parsedUrl(amqpUrl) !== undefined ? ownVhostUrl(amqpUrl) : amqpUrl;
  const isTheStacks = [amqpUrl, meant].some((url) => url.replace(/\/$/, '') === stack.amqpUrl);
  return isTheStacks
    ? { amqpUrl: stack.amqpUrl, stack, isStackLeftOut: false }
    : { amqpUrl, stack: undefined, isStackLeftOut: true };
}
