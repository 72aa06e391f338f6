import type { StackDescription } from '@partner/local-stack/stack/stack-description';

export interface ChosenBroker {
  /** Undefined: none was given, and no local stack runs. */
  readonly amqpUrl: string | undefined;
  /** The local stack, if it uses this broker. */
  readonly stack: StackDescription | undefined;
  /** Whether a local stack runs that uses another broker; the run must not use that stack. */
  readonly isStackLeftOut: boolean;
}

/**
 * Chooses the broker, and uses the local stack only if that uses the same broker. If a variable names the stack's broker, its vhost
 * is read as in `scripts/up`: a name that does not begin with `partner` means the stack's vhost. An option names its vhost
 * exactly. Other parts of the URL, such as the user, always apply.
 */
export function chooseBroker(
  given: { readonly option: string | undefined; readonly variable: string | undefined },
  stack: StackDescription | undefined,
): ChosenBroker {
  const url = given.option ?? given.variable;
  if (url === undefined || stack === undefined)
    return { amqpUrl: url ?? stack?.amqpUrl, stack, isStackLeftOut: false };
  const urls = url.split(',');
  const own = stack.amqpUrl.split(',').map(placeOf);
  const isTheStacks = urls
    .map(placeOf)
    .every(
      (named) =>
        named !== undefined &&
        own.some(
          (place) =>
            named.broker === place?.broker &&
            (named.vhost === place.vhost ||
              named.vhost === '' ||
              (given.option === undefined && !named.vhost.startsWith('partner'))),
        ),
    );
  if (!isTheStacks) return { amqpUrl: url, stack: undefined, isStackLeftOut: true };
  const [ownUrl = ''] = stack.amqpUrl.split(',');
  const { pathname } = new URL(ownUrl);
  const chosen = urls.map((each) => Object.assign(new URL(each), { pathname }).href);
  return { amqpUrl: chosen.join(','), stack, isStackLeftOut: false };
}

const PORTS: Readonly<Record<string, string>> = { 'amqp:': '5672', 'amqps:': '5671' };

/** Returns host, port and vhost of a broker; the vhost is empty for the default one. Undefined for an invalid URL. */
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
