import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Option } from '@commander-js/extra-typings';
import {
  subscription,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { readResource } from '@partner/proto-contracts/resource-json';
import type { KnownSecret, KnownSecrets } from '@partner/local-stack/receiver/known-secrets';
import { bytesOf, type ReceivedRequest } from '@partner/local-stack/receiver/received-request';
import { ListenError } from '@partner/kernel/listen';
import { serveReceiver } from '@partner/local-stack/receiver/receiver';
import type { StackDescription } from '@partner/local-stack/stack/stack-description';
import { withTimeLimit } from '@partner/local-stack/time-limit';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, listOf, topCommand } from '../command-context.js';
import { OperatorError, wrongUsage } from '../exit-codes.js';
import { forwardDelivery, loopbackUrl } from '../forward-delivery.js';
import { readSecret } from '../given-secret.js';
import { type Document, isDocument, jsonIn, jsonText, printable } from '../output.js';
import { pollUntil } from '../poll-until.js';
import { counted } from '@partner/proto-contracts/api/counted';

const TEST_EVENT = 'install.test';
const VERIFY_MS = 30_000;

/** `partnerctl listen`: a receiver on this machine that verifies and shows deliveries of the local stack. */
export function listenCommand(context: CommandContext) {
  return topCommand(
    'listen',
    'receive, verify and show webhooks of the local stack, until Ctrl-C',
    "--company cmp_01j… --events 'install.*'",
    '--company cmp_01j… --events install.job_assigned --forward http://127.0.0.1:3000/hooks',
    "--company cmp_01j… --events 'install.*' --count 1 --for 60 --json",
    '--path /hooks --secret-file secret.txt',
  )
    .option(
      '--company <id>',
      'create, test and activate a subscription of this company, and delete it at the end',
    )
    .option(
      '--events <patterns>',
      'events of that subscription, separated by commas',
      listOf('event names or groups'),
    )
    .option(
      '--secret-file <file>',
      'file with the secret of an existing subscription, whsec_…; - for standard input',
    )
    .addOption(
      new Option(
        '--secret <secret>',
        'that secret as text, for development only: shell history and ps show it',
      ).conflicts('secretFile'),
    )
    .option('--secret-version <version>', 'its version', wholeNumber(1, 1_000_000), 1)
    .option('--path <path>', 'the path of the URL (default: a unique one)')
    .option(
      '--port <port>',
      'a port of stack.json, listener or moreListeners (default: the first free one)',
      wholeNumber(1, 65_535),
    )
    .option('--log <file>', 'write each request as a line of JSON, as the example receiver does')
    .option('--forward <url>', 'forward deliveries to a server on this machine, and return its responses')
    .option('--keep', 'keep the subscription')
    .option(
      '--count <count>',
      'end after this number of verified events, without tests and repeats',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--for <seconds>',
      'end after this time; exit code 1 if --count was not reached',
      wholeNumber(1, 1_000_000),
    )
    .action(async (options) => {
      const stack = context.stack();
      if (stack === undefined) {
        const why = context.isStackLeftOut()
          ? 'AMQP_URL or --amqp-url names another broker than that of the stack: leave it out'
          : 'none runs here: start one with scripts/up --detach';
        throw new OperatorError('unavailable', `only the local stack delivers to this machine, and ${why}`);
      }
      if ((options.company === undefined) !== (options.events === undefined))
        throw wrongUsage('--company and --events belong together');
      const forward = options.forward === undefined ? undefined : loopbackUrl(options.forward);
      const pathname = options.path ?? `/${randomBytes(6).toString('hex')}`;
      if (!/^\/[\w./-]*$/.test(pathname)) throw wrongUsage('--path must begin with / and be plain');
      const places = placesOf(stack, options.port);
      const secrets: KnownSecret[] = [];
      const given = await readSecret(context, '--secret', options.secret, options.secretFile);
      if (given !== undefined) secrets.push({ version: options.secretVersion, secret: given });
      const received: ReceivedRequest[] = [];
      let wake: () => void = () => undefined;
      const directory =
        options.log === undefined ? await mkdtemp(path.join(tmpdir(), 'partnerctl-listen-')) : undefined;
      /** Ids of received events: an event can arrive more than once. */
      const events = () =>
        new Set(
          received
            .filter(({ headers, verified }) => verified === true && headers['x-svc-event'] !== TEST_EVENT)
            .map(({ headers }) => headers['webhook-id']),
        );
      let receiver: Pick<Awaited<ReturnType<typeof serveReceiver>>, 'close'> | undefined;
      let remove: (() => Promise<void>) | undefined;
      try {
        const receiverOptions = {
          certificate: stack.listener,
          variable: '--port',
          logFile: options.log ?? path.join(directory ?? '', 'requests.jsonl'),
          secrets: secretsIn(secrets),
          respondWith: (request: ReceivedRequest) => forwarded(context, forward, request),
          onReceived(request: ReceivedRequest) {
            received.push(request);
            if (!context.output.isJson) context.write(render(request));
            wake();
          },
        };
        const { url: base, ...served } = await serveOnFreePort(receiverOptions, places);
        receiver = served;
        const url = `${base}${pathname}`;
        context.tell(`listening: webhooks to ${url} come here`);
        let subscription: Document | undefined;
        if (options.company !== undefined && options.events !== undefined) {
          const made = await subscribe(context, {
            companyId: options.company,
            url,
            events: options.events,
            learn: (secret) => secrets.push(secret),
            isVerified: () => received.some(({ verified }) => verified === true),
          });
          remove = options.keep === true ? undefined : made.remove;
          subscription = { id: made.subscriptionId, url };
          context.tell(`${made.subscriptionId} is active: its test delivery has verified`);
        }
        const { count = Number.POSITIVE_INFINITY } = options;
        const untilEnd = (end: AbortSignal) =>
          new Promise<void>((resolve) => {
            wake = () => {
              if (end.aborted || events().size >= count) resolve();
            };
            end.addEventListener('abort', wake, { once: true });
            wake();
          });
        await (options.for === undefined
          ? untilEnd(context.signal)
          : withTimeLimit({ milliseconds: options.for * 1_000, signal: context.signal }, untilEnd));
        const isShort = options.count !== undefined && events().size < count;
        const seen = received.map(receivedView);
        const text = context.output.isJson
          ? ''
          : `${counted(events().size, 'event has', 'events have')} verified.`;
        context.output.words(
          { url, ...(subscription !== undefined && { subscription }), received: seen },
          text,
        );
        if (isShort)
          throw new OperatorError('failed', `only ${events().size} of ${counted(count, 'event')} came`);
      } finally {
        await remove?.().catch((error: unknown) =>
          context.tell(`the subscription was not deleted: ${String(error)}`),
        );
        await receiver?.close();
        if (directory !== undefined) await rm(directory, { recursive: true, force: true });
      }
    });
}

async function forwarded(context: CommandContext, to: URL | undefined, request: ReceivedRequest) {
  if (to === undefined) return undefined;
  const { status, problem } = await forwardDelivery(to, request);
  if (problem !== undefined) context.tell(problem);
  return status;
}

function secretsIn(secrets: KnownSecret[]): KnownSecrets {
  return {
    add: (secret) => void secrets.push(secret),
    candidates: (version) => secrets.filter((known) => known.version === version).map(({ secret }) => secret),
  };
}

/** Where the stack delivers to: with a port only that one. */
function placesOf({ listener, moreListeners }: StackDescription, wanted: number | undefined) {
  const all = [listener, ...moreListeners];
  const places = all.filter(({ port }) => wanted === undefined || port === wanted);
  if (places.length > 0) return places;
  const ports = all.map(({ port }) => port).join(', ');
  throw wrongUsage(`--port must be one that the stack delivers to: ${ports}`);
}

/** Serves at the first place whose port no other listener has. */
async function serveOnFreePort(
  options: Omit<Parameters<typeof serveReceiver>[0], 'port'>,
  places: readonly { readonly url: string; readonly port: number }[],
) {
  for (const { url, port } of places) {
    try {
      return { url, ...(await serveReceiver({ ...options, port })) };
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
    }
  }
  throw new OperatorError(
    'failed',
    `a partnerctl listen has each port that the stack delivers to: ${places.map(({ port }) => port).join(', ')}; stop one`,
  );
}

/** Creates a subscription, and activates it once its test delivery has verified. */
async function subscribe(
  context: CommandContext,
  wanted: {
    readonly companyId: string;
    readonly url: string;
    readonly events: string[];
    readonly learn: (secret: KnownSecret) => void;
    readonly isVerified: () => boolean;
  },
): Promise<{ readonly subscriptionId: string; readonly remove: () => Promise<void> }> {
  const { subscriptions, actor, companyId, companyClass } = await context.about(wanted.companyId);
  const response = await subscriptions.createSubscription({
    companyId,
    companyClass,
    url: wanted.url,
    events: wanted.events,
    description: 'partnerctl listen',
    actor,
  });
  const created = readResource(subscriptionCreated, response);
  const subscriptionId = created.subscription.id;
  const of = { companyId, subscriptionId, actor };
  const remove = async () => {
    await subscriptions.deleteSubscription(of);
  };
  try {
    wanted.learn({ version: created.subscription.secretVersion, secret: created.secret });
    await subscriptions.sendTestDelivery(of);
    await pollUntil(
      'a test delivery that verifies',
      { timeoutMs: VERIFY_MS, everyMs: 100, signal: context.signal },
      async () => {
        if (!wanted.isVerified()) return undefined;
        const found = await subscriptions.getSubscription({ companyId, subscriptionId });
        return readResource(subscription, found).verified || undefined;
      },
    );
    await subscriptions.activateSubscription(of);
    return { subscriptionId, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}

function receivedView(request: ReceivedRequest): Document {
  return {
    receivedAt: request.receivedAt,
    event: request.headers['x-svc-event'] ?? null,
    eventId: request.headers['webhook-id'] ?? null,
    deliveryId: request.headers['x-svc-delivery-id'] ?? null,
    verified: request.verified,
    duplicate: request.duplicate,
    status: request.status,
    problem: request.problem,
    body: jsonIn(bytesOf(request).toString('utf8')),
  };
}

function render(request: ReceivedRequest): string {
  const view = receivedView(request);
  const body = view['body'];
  const data = isDocument(body) && body['resource'] !== undefined ? jsonText(body['resource']) : '';
  const verdict =
    request.verified === true
      ? 'verified'
      : request.verified === false
        ? `NOT VERIFIED: ${request.problem ?? ''}`
        : 'its secret is not known';
  const again = request.duplicate ? ', again' : '';
  const line = `${request.receivedAt} ${request.headers['x-svc-event'] ?? request.path} ${data} ${verdict}${again}, returned ${request.status}`;
  return `${printable(line)}\n`;
}
