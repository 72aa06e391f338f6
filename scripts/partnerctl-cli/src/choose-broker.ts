import type { StackDescription } from '@partner/local-stack/stack/stack-description';

/** The broker that a run works with, and what runs on this machine beside it. */
export interface ChosenBroker {
  /** Undefined: nobody has named one, and no local stack runs. */
  readonly amqpUrl: string | undefined;
  /** The local stack, when it is the one behind this broker. */
  readonly stack: StackDescription | undefined;
  /** Whether a local stack runs that is not behind this broker: nothing of it may be used then. */
  readonly isStackLeftOut: boolean;
}

/**
 * Chooses the broker, and takes the local stack for the service behind it only when it is. The vhost of a variable that names
 * the stack's broker is read as `scripts/up` reads it: a name that does not begin with `partner` means the stack's own. An
 * option that names a vhost means that one. What else the URL says, such as the user, holds in any case.
 */
export function chooseBroker(
  given: { readonly option: string | undefined; readonly variable: string | undefined },
  stack: StackDescription | undefined,
): ChosenBroker {
  const url = given.option ?? given.variable;
  if (url === undefined || stack === undefined)
    return { amqpUrl: url ?? stack?.amqpUrl, stack, isStackLeftOut: false };
  const named = placeOf(url);
  const own = placeOf(stack.amqpUrl);
  const isTheStacks =
    named !== undefined &&
    named.broker === own?.broker &&
    (named.vhost === own.vhost ||
      named.vhost === '' ||
      (given.option === undefined && !named.vhost.startsWith('partner')));
  if (!isTheStacks) return { amqpUrl: url, stack: undefined, isStackLeftOut: true };
  const chosen = new URL(url);
  chosen.pathname = new URL(stack.amqpUrl).pathname;
  return { amqpUrl: chosen.href, stack, isStackLeftOut: false };
}

const PORTS: Readonly<Record<string, string>> = { 'amqp:': '5672', 'amqps:': '5671' };

/** Host and port of a broker, and the vhost there; empty for the default one. Undefined for what is no URL. */
function placeOf(url: string): { readonly broker: string; readonly vhost: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.toLowerCase();
  const isThisMachine = ['', 'localhost', '127.0.0.1', '[::1]'].includes(host);
  const vhost = pathname.slice(1).replaceAll(/%2f/gi, '/');
  return {
    broker: `${isThisMachine ? 'localhost' : host}:${port === '' ? (PORTS[protocol] ?? '') : port}`,
    vhost: vhost === '/' ? '' : vhost,
  };
}
