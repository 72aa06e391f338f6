import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import {
  type Manifest,
  manifest,
  MANIFEST_MAX_DAYS,
} from '@partner/proto-contracts/resources/manifest/manifest';
import { instantOfId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { z } from 'zod';
import { toolSchema } from './tool-schema.js';
import type { Tool } from './tool.js';

type Entry = Manifest['entries'][number];

/** Maximum pages of the manifest that one call reads. */
const PAGES = 3;
/** The clock that made the id of an event may differ from the one that queued it. */
const CLOCKS_DIFFER_MS = 60_000;
const DAY_MS = 86_400_000;

const input = z.object({
  webhookId: z.string().max(64).meta({ description: 'The id of the webhook subscription, `whk_…`.' }),
  eventId: z.string().max(64).meta({ description: 'The `id` of the event, `evt_…`.' }),
});

const OUTCOMES: Readonly<Record<Entry['outcome'], string>> = {
  pending: 'It is queued, and its first attempt is due or in flight.',
  retry_scheduled: 'The last attempt failed. The service retries it automatically.',
  delivered:
    'The server of the webhook accepted it with 2xx. If your application did not receive it, search for the event id in the logs of that server.',
  dead_lettered: 'All attempts failed. Fix the server, then replay the event.',
  held: 'The webhook is paused. The delivery continues when an owner activates it.',
  cancelled: 'The webhook was deleted before the delivery.',
};

const NOT_QUEUED =
  'The event was not queued to this webhook: the webhook was paused, does not subscribe to the event, names fields of which none changed or was created later, your company has no such event, or the delivery is no longer kept.' +
  ' An owner sees which at "Trace an event" in the console. If the webhook subscribes to the event and one of its fields changed, a replay sends it, again if it was delivered.';

/** Creates the tool that says, from the manifest of a webhook, why an event did not arrive. */
export function explainEventTool(operation: AnyOperation, { clock }: { readonly clock: () => Date }): Tool {
  return {
    name: 'explain_event',
    title: 'Explain why an event did not arrive',
    description:
      'Finds an event among those that were queued to a webhook, and says what became of its delivery, or why there may be none.',
    scope: 'events:read',
    isReadOnly: true,
    inputSchema: toolSchema(input),
    async call(given, { perform }) {
      const checked = validate(input, given, 'arguments');
      if (!checked.valid) throw invalidArgument(checked.violations);
      const { webhookId, eventId } = checked.value;
      const created = instantOfId('evt', eventId);
      const now = clock();
      if (created === undefined || created.getTime() > now.getTime() + CLOCKS_DIFFER_MS)
        throw notFound(`event ${eventId}`);
      const from = new Date(Math.min(created.getTime(), now.getTime()) - CLOCKS_DIFFER_MS);
      const to = new Date(Math.min(now.getTime(), from.getTime() + MANIFEST_MAX_DAYS * DAY_MS));
      const span = { from: from.toISOString(), to: to.toISOString() };
      let cursor: string | null = null;
      for (let page = 0; page < PAGES; page += 1) {
        const query: Record<string, string> = cursor === null ? span : { ...span, cursor };
        const text = await perform(operation, { params: { id: webhookId }, query });
        const read = manifest.parse(JSON.parse(text));
        const entry = read.entries.find((each) => each.eventId === eventId);
        if (entry !== undefined)
          return JSON.stringify({ ...entry, webhookId, explanation: OUTCOMES[entry.outcome] });
        cursor = read.nextCursor;
        if (cursor === null) break;
      }
      const explanation =
        cursor === null
          ? NOT_QUEUED
          : `The event is not among the first ${PAGES} pages of the manifest. An event that occurred during a pause is queued later: continue reading the manifest with this cursor and span.`;
      return JSON.stringify({ eventId, webhookId, outcome: null, explanation, ...span, cursor });
    },
  };
}
