import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import type { DescribedOperation } from '@partner/proto-contracts/openapi/api-description';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';

/** For each job status from which a job can move: the first status that it can move to. */
const NEXT_STATUS = Object.fromEntries(
  Object.entries(JOB_STATUS_MOVES).flatMap(([from, [to]]) => (to === undefined ? [] : [[from, to]])),
);

const jobOf = (job: string) => ({
  jobId: `${job}?.id`,
  jobVersion: `${job}?.version`,
  nextStatus: `next[${job}?.status]`,
});
/** The least advanced job: it can move, and its schedule and technicians can change. */
const JOB_TO_MOVE =
  '(Object.keys(next).map((status) => body.resources.find(({ resource }) => resource.status === status)).find(Boolean) ?? body.resources[0])?.resource';

const ofEvents = {
  list: { firstSequence: 'body.events[0]?.sequence', lastSequence: 'body.events.at(-1)?.sequence' },
  preview: { webhookId: 'body.webhooks[0]?.subscriptionId' },
  replay: { replayId: 'body.replays[0]?.id' },
};

/** What a response gives to later requests: variables, each with its value in JavaScript. */
const RESULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createLead: { leadId: 'body.leadId' },
  listContractorJobs: { jobId: 'body.jobs[0]?.id' },
  listJobFeed: jobOf(JOB_TO_MOVE),
  getJob: jobOf('body.resource'),
  recordStatusEvent: jobOf('body.resource'),
  setSchedule: jobOf('body.resource'),
  replaceAssignments: jobOf('body.resource'),
  listTechnicians: { technicianId: 'body.technicians.find(({ active }) => active)?.membershipId' },
  listInboundEvents: ofEvents.list,
  previewInboundEventReplay: ofEvents.preview,
  replayInboundEvents: ofEvents.replay,
  listInstallerEvents: ofEvents.list,
  previewInstallerEventReplay: ofEvents.preview,
  replayInstallerEvents: ofEvents.replay,
  automationListWebhooks: { webhookId: 'body.subscriptions[0]?.id' },
  automationListCompanyDeliveries: { deliveryId: 'body.deliveries[0]?.id' },
  automationListReplays: { replayId: 'body.replays[0]?.id' },
};

/** What each id in a path is about, by the part of the path before it. */
const PATH_IDS: Readonly<Record<string, string>> = {
  jobs: 'jobId',
  replays: 'replayId',
  webhooks: 'webhookId',
  deliveries: 'deliveryId',
};

/** How the values of the examples are replaced in bodies: they are of no company. */
const BODY_VALUES: Readonly<Record<string, string>> = {
  leadId: '"{{leadId}}"',
  idempotencyKey: '"{{$guid}}"',
  expectedVersion: '{{jobVersion}}',
  status: '"{{nextStatus}}"',
  membershipIds: '["{{technicianId}}"]',
  subscriptionId: '"{{webhookId}}"',
  fromSequence: '{{firstSequence}}',
  toSequence: '{{lastSequence}}',
};

/** Returns the name of a variable. Companies that sell and those that install have different jobs, webhooks and events. */
function variableOf({ tag }: Pick<DescribedOperation, 'tag'>, name: string): string {
  return `${tag.toLowerCase()}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Returns the variable with a key of the kind that has the operation's scope, e.g. `generalKey`. */
export function keyVariableOf({ tag, scope }: Pick<DescribedOperation, 'tag' | 'scope'>): string {
  const [kind = ''] =
    Object.entries(KEY_KINDS).find(
      ([, { surface, scopes }]) => surface === tag.toLowerCase() && scopes.some((each) => each === scope),
    ) ?? [];
  return `${kind.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Key`;
}

/** Returns the value of an id in the operation's path; undefined if it is no id of the company. */
export function pathValueOf(operation: DescribedOperation, name: string): string | undefined {
  const [, before = ''] = new RegExp(`/([^/]+)/\\{${name}\\}`).exec(operation.path) ?? [];
  const variable = PATH_IDS[before];
  return variable === undefined ? undefined : `{{${variableOf(operation, variable)}}}`;
}

/** Returns the body to send, with variables in place of what the examples say of a company; undefined without a body. */
export function bodyOf(operation: DescribedOperation): string | undefined {
  const examples = operation.body?.examples ?? [];
  // A replay by numbers needs no id of an event.
  const { value } = examples.find(({ name }) => name === 'numbers') ?? examples[0] ?? {};
  if (typeof value !== 'object' || value === null) return undefined;
  const isReplay = RESULTS[operation.id]?.['replayId'] !== undefined;
  const fields = Object.entries({ ...(isReplay && { subscriptionId: '' }), ...value }).map(
    ([name, given]) => {
      const variable =
        name === 'status' && operation.id !== 'recordStatusEvent' ? undefined : BODY_VALUES[name];
      const own = variable?.replaceAll(
        /\{\{(\w+)\}\}/g,
        (_, used: string) => `{{${variableOf(operation, used)}}}`,
      );
      return `  ${JSON.stringify(name)}: ${own ?? JSON.stringify(given)}`;
    },
  );
  return `{\n${fields.join(',\n')}\n}`;
}

/** Returns the script that keeps what the response gives to later requests. A value that the response does not have stays. */
export function scriptOf(operation: DescribedOperation): readonly string[] {
  const results = Object.entries(RESULTS[operation.id] ?? {});
  if (results.length === 0) return [];
  return [
    `const next = ${JSON.stringify(NEXT_STATUS)};`,
    'const body = pm.response.code < 300 ? pm.response.json() : undefined;',
    'const keep = (name, value) => value !== undefined && pm.collectionVariables.set(name, value);',
    'if (body) {',
    ...results.map(([name, value]) => `  keep(${JSON.stringify(variableOf(operation, name))}, ${value});`),
    '}',
  ];
}
