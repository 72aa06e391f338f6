import type { Command } from '@commander-js/extra-typings';
import { testWebhookOperation } from '@partner/proto-contracts/resources/delivery/operations';
import {
  activateWebhookOperation,
  activateWebhookSecretOperation,
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listWebhooksOperation,
  pauseWebhookOperation,
  rotateWebhookSecretOperation,
  updateWebhookOperation,
} from '@partner/proto-contracts/resources/subscription/operations';
import { healthOf } from '@partner/proto-contracts/resources/subscription/health-of';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, demandYes, listOf, topCommand, subcommand } from '../command-context.js';
import { wrongUsage } from '../exit-codes.js';
import { columns, type Document } from '../output.js';
import { nextAttempt, showNextAttempt } from './deliveries.js';

export const SUBSCRIPTION_COLUMNS = columns(
  'id, condition: condition.state, since: condition.since, waiting: condition.waiting, url, events, description',
);

export const shownSubscription = (found: Subscription) => ({
  ...found,
  health: healthOf(found),
  condition: found.condition ?? null,
});

const SUBSCRIPTION_LINES = columns(`
  id: subscription.id, url: subscription.url, events: subscription.events,
  description: subscription.description, condition: subscription.condition.state, since: subscription.condition.since,
  failed attempts since: subscription.condition.attempts, waiting for a retry: subscription.condition.waiting,
  accepted since: subscription.condition.accepted, events missed: subscription.condition.missed,
  state: subscription.state, verified: subscription.verified, schema version: subscription.schemaVersion,
  secret version: subscription.secretVersion, secret shown: subscription.secretShown,
  pending secret version: subscription.pendingSecretVersion, headers: subscription.headerNames,
  deliveries per second: subscription.deliveriesPerSecond, only if changed: subscription.fields,
  ordered: subscription.ordered, asymmetric signature: subscription.asymmetricSignature,
  failures in a row: subscription.failuresInRow,
  ${nextAttempt('subscription.')}, created: subscription.createdAt,
  changed: subscription.updatedAt, secret, back-fill: backfillId
`);

const SHOWN_ONCE = 'The secret is shown this once.\n';

export function subscriptionsCommand(context: CommandContext) {
  const group = topCommand(
    'subscriptions',
    'webhook subscriptions of companies',
    'list cmp_01j…',
    'partnerctl webhooks show whk_01j…',
  ).alias('webhooks');

  subcommand(group, 'list <company>', "list a company's subscriptions, oldest first", 'cmp_01j…').action(
    async (company) => {
      const { call } = await context.about(company);
      const { subscriptions } = await call(listWebhooksOperation);
      context.output.rows('subscriptions', subscriptions.map(shownSubscription), SUBSCRIPTION_COLUMNS);
    },
  );

  subcommand(group, 'show <subscription>', 'show a subscription', 'whk_01j…').action(async (id) => {
    const { companyId, call } = await context.about(id);
    showSubscription(context, await call(getWebhookOperation), { companyId });
  });

  subcommand(
    group,
    'create <company>',
    'create a paused subscription; its secret is shown once',
    "cmp_01j… --url https://hooks.example.com/partner --events 'install.*'",
  )
    .requiredOption('--url <url>', 'where deliveries go: https, a public host, port 443')
    .requiredOption(
      '--events <patterns>',
      'event names or groups, separated by commas',
      listOf('event names or groups'),
    )
    .option('--description <text>', 'text for the owner')
    .option(
      '--schema-version <version>',
      'schema version of the payloads (default: the current one)',
      wholeNumber(1, 1_000),
    )
    .action(async (company, { url, events, description, schemaVersion }) => {
      const { call } = await context.about(company);
      const body = { url, events, description, schemaVersion };
      const { subscription, secret } = await call(createWebhookOperation, { body });
      showSubscription(context, subscription, { secret });
    });

  addChangeCommands(group, context);
  addStateCommands(group, context);
  addSecretCommands(group, context);
  return group;
}

function addChangeCommands(group: Command, context: CommandContext): void {
  subcommand(
    group,
    'update <subscription>',
    'change the given fields of a subscription; another URL pauses it until it is tested, and another host needs its custom headers again',
    'whk_01j… --rate 20',
    'whk_01j… --rate none --headers-file headers.txt',
    'whk_01j… --url https://next.example.com/partner --headers-file headers.txt',
  )
    .option('--url <url>', 'where deliveries go')
    .option('--events <patterns>', 'event names or groups', listOf('event names or groups'))
    .option('--description <text>', 'text for the owner')
    .option('--rate <number>', 'deliveries per second at most; none: no limit', rateOf)
    .option(
      '--headers-file <file>',
      'custom headers as lines "X-Tenant: west", without a value to remove one; - is standard input',
    )
    .action(async (id, { url, events, description, rate, headersFile }) => {
      const headers = headersFile === undefined ? undefined : headersIn(await context.read(headersFile));
      const { call } = await context.about(id);
      const deliveriesPerSecond = rate === 'none' ? null : rate;
      const body = { url, events, description, headers, deliveriesPerSecond };
      showSubscription(context, await call(updateWebhookOperation, { body }));
    });

  subcommand(
    group,
    'test <subscription>',
    'send a test delivery and wait for its outcome',
    'whk_01j…',
    'whk_01j… --event install.job_assigned',
  )
    .option('--event <event>', 'send the example of an event in the catalog (default: install.test)')
    .option('--secret-version <version>', 'the version of the secret to sign with', wholeNumber(1, 1_000_000))
    .option(
      '--wait <seconds>',
      'how long to wait for its first attempt; 0: do not wait',
      wholeNumber(0, 600),
      30,
    )
    .action(async (id, { event, secretVersion, wait }) => {
      const about = await context.about(id);
      const queued = await about.call(testWebhookOperation, { body: { secretVersion, event } });
      await showNextAttempt(context, about, { queued, wait });
    });
}

function addStateCommands(group: Command, context: CommandContext): void {
  subcommand(
    group,
    'activate <subscription>',
    'activate a subscription that has had a verified test delivery',
    'whk_01j… --backfill',
  )
    .option('--backfill', 'also queue the events missed during the pause')
    .action(async (id, { backfill }) => {
      const { call } = await context.about(id);
      const body = { backfill: backfill === true };
      const { backfillId, ...activated } = await call(activateWebhookOperation, { body });
      showSubscription(context, activated, { backfillId });
    });

  subcommand(
    group,
    'pause <subscription>',
    'pause a subscription: unfinished deliveries are held, new events are not queued',
    'whk_01j…',
  ).action(async (id) => {
    const { call } = await context.about(id);
    showSubscription(context, await call(pauseWebhookOperation));
  });

  subcommand(
    group,
    'delete <subscription>',
    'delete a subscription and cancel its unfinished deliveries',
    'whk_01j… --yes',
  )
    .option('--yes', 'do it')
    .action(async (id, { yes }) => {
      const { call } = await context.about(id);
      const found = await call(getWebhookOperation);
      const isActive = found.state === 'active';
      demandYes(
        yes,
        `this deletes the ${isActive ? 'active ' : ''}subscription ${id} to ${found.url}, and cancels its unfinished deliveries`,
      );
      await call(deleteWebhookOperation);
      context.output.words({ subscriptionId: id, deleted: true }, `${id} is deleted.`);
    });
}

function rateOf(text: string) {
  return text === 'none' ? text : wholeNumber(1, WEBHOOK_LIMITS.deliveriesPerSecond)(text);
}

/** Reads custom headers, one on a line. A violation does not show the line, which may contain a secret. */
function headersIn(text: string) {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .map((line, index) => {
      const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined)
        throw wrongUsage(`--headers-file: line ${index + 1} is not like "X-Tenant: west"`);
      return { name, value: value === '' ? null : value };
    });
}

function addSecretCommands(group: Command, context: CommandContext): void {
  subcommand(
    group,
    'rotate-secret <subscription>',
    'create a pending secret, which is shown once; it signs nothing until it is activated, unless no one has the current one, as after apply',
    'whk_01j…',
    'partnerctl subscriptions test whk_01j… --secret-version 2',
    'partnerctl subscriptions activate-secret whk_01j… --secret-version 2',
  ).action(async (id) => {
    const { call } = await context.about(id);
    const rotated = await call(rotateWebhookSecretOperation);
    const version = rotated.pendingSecretVersion;
    const isPending = rotated.subscription.pendingSecretVersion !== null;
    showSubscription(context, rotated.subscription, { secret: rotated.secret });
    context.tell(
      isPending
        ? `load version ${version} into the server beside version ${rotated.subscription.secretVersion}; then test it with "subscriptions test ${id} --secret-version ${version}", and activate it with "subscriptions activate-secret ${id} --secret-version ${version}"`
        : `version ${version} signs from now on; load it into the server, then "subscriptions test ${id}" and "subscriptions activate ${id}"`,
    );
  });

  subcommand(
    group,
    'activate-secret <subscription>',
    'sign with the pending secret from now on',
    'whk_01j… --secret-version 2',
  )
    .requiredOption(
      '--secret-version <version>',
      'the version of the pending secret',
      wholeNumber(1, 1_000_000),
    )
    .action(async (id, { secretVersion }) => {
      const { call } = await context.about(id);
      const body = { pendingSecretVersion: secretVersion };
      showSubscription(context, await call(activateWebhookSecretOperation, { body }));
    });
}

function showSubscription(context: CommandContext, shown: Subscription, more: Document = {}): void {
  const document = { subscription: shownSubscription(shown), ...more };
  context.output.thing(document, SUBSCRIPTION_LINES, 'secret' in more ? SHOWN_ONCE : '');
}
