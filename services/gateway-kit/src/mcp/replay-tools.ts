import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import {
  eventReplayIn,
  eventReplayPreview,
} from '@partner/proto-contracts/resources/event-replay/event-replay';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { z } from 'zod';
import { checkConfirmation, createConfirmation } from './confirmation.js';
import { type JsonObject, toolSchema } from './tool-schema.js';
import type { Tool, ToolCaller } from './tool.js';

const confirmed = z.object({
  confirmation: z
    .string()
    .max(200)
    .meta({ description: 'The `confirmation` of the preview. It is valid for 10 minutes.' }),
});

/**
 * Creates the tools that replay events: a preview, and the replay, which needs the preview's confirmation. A repeated confirmation has no
 * second effect, because it is the idempotency key too.
 */
export function replayTools(
  operations: { readonly preview: AnyOperation; readonly replay: AnyOperation },
  { clock }: { readonly clock: () => Date },
): readonly Tool[] {
  const { preview, replay } = operations;
  const previewOf = async (caller: ToolCaller, body: JsonObject) =>
    eventReplayPreview.parse(JSON.parse(await caller.perform(preview, { body })));
  return [
    {
      name: 'preview_replay',
      title: preview.summary,
      description: `${preview.description.trim()}\n\nShow the counts to the person you work for. \`replay_events\` needs the \`confirmation\` of the result.`,
      scope: 'events:replay',
      isReadOnly: true,
      inputSchema: toolSchema(eventReplayIn),
      async call(given, caller) {
        const body = replayOf(given);
        const shown = await previewOf(caller, body);
        return JSON.stringify({
          ...shown,
          ...createConfirmation(caller, { body, webhooks: shown.webhooks }, clock()),
        });
      },
    },
    {
      name: 'replay_events',
      title: replay.summary,
      description: `${replay.description.trim()}\n\nCall \`preview_replay\` first. Call this tool only if the person you work for agrees, with the same arguments and the \`confirmation\`.`,
      scope: 'events:replay',
      isReadOnly: false,
      inputSchema: toolSchema(eventReplayIn, confirmed),
      async call(given, caller) {
        const checked = validate(confirmed, given, 'arguments');
        if (!checked.valid) throw invalidArgument(checked.violations);
        const { confirmation } = checked.value;
        const body = replayOf(given);
        // Events and active webhooks may have changed since the preview.
        const { webhooks } = await previewOf(caller, body);
        checkConfirmation(caller, { body, webhooks }, { confirmation, now: clock() });
        return caller.perform(replay, { body, idempotencyKey: `mcp:${confirmation}` });
      },
    },
  ];
}

/** The replay that arguments describe, in one form: defaults are set, and unknown fields left out. */
function replayOf(given: JsonObject): JsonObject {
  const checked = validate(eventReplayIn, given, 'arguments');
  if (!checked.valid) throw invalidArgument(checked.violations);
  return { ...checked.value };
}
