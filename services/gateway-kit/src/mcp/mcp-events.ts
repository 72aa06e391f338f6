import type { OperationLike } from '@partner/proto-contracts/api/operation';
import {
  EVENT_CATALOGUE,
  type EventName,
  isEventName,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { createEventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { resourceFilter } from '@partner/proto-contracts/resources/event-catalogue/event-filter';
import { changesOf } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { eventFeed } from '@partner/proto-contracts/resources/event-feed/event-feed';
import type { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { z } from 'zod';
import type { McpExtension } from './mcp-extension.js';
import { toolSchema } from './tool-schema.js';
import type { ToolCaller } from './tool.js';

const MAX_EVENTS = 100;
/** How often readers of events should ask, as the operation says. */
const NEXT_POLL_MS = 60_000;

const listed = z.object({ cursor: z.null().optional() }).optional();
const named = z.object({ name: z.string() });
const polled = z.object({
  cursor: z.string().max(64).nullish(),
  maxAgeMs: z.int().min(0).nullish(),
  maxEvents: z.int().min(1).nullish(),
});
const body = z.looseObject({ id: z.string(), event: z.string(), occurredAt: z.string() });

/**
 * Creates the extension Events (SEP-3415) with its poll mode, over the operation that reads events (decisions MCP-12 to MCP-14). Nothing
 * is stored: the client keeps the cursor, which is that of the operation.
 */
export function mcpEvents(
  operation: OperationLike<typeof listInstallerEventsOperation>,
  {
    clock,
    checkCursor,
  }: {
    readonly clock: () => Date;
    /** Throws `cursor_invalid` unless the cursor of the operation was issued to the company. */
    readonly checkCursor: (companyId: string, cursor: string) => void;
  },
): McpExtension {
  let descriptions: readonly (object & { readonly name: EventName })[] | undefined;

  return {
    id: 'io.modelcontextprotocol/events',
    scope: 'events:read',
    requests: {
      async 'events/list'(params, { request }) {
        valid(listed, params);
        // Expensive, so at the first request.
        descriptions ??= describeEvents();
        return { events: descriptions.filter(({ name }) => isOffered(name, request.principal.companyClass)) };
      },
      async 'events/poll'(params, caller) {
        const { companyId, companyClass } = caller.request.principal;
        const { name } = valid(named, params);
        if (!isOffered(name, companyClass)) throw unknownEvent(name);
        const given = valid(polled.extend({ arguments: argumentsOf(name).optional() }), params);
        const { cursor, maxAgeMs, maxEvents } = given;
        const query = {
          event: name,
          ...given.arguments,
          ...(typeof maxEvents === 'number' && { limit: Math.min(maxEvents, MAX_EVENTS) }),
        };
        const read = (from: object) => readPage(operation, caller, { ...query, ...from });
        if (typeof cursor !== 'string') return { ...resultOf(await read({ from: 'end' })), truncated: false };
        checkCursor(companyId, cursor);
        // One that was issued to the company is refused if events after it are gone.
        const { page, isGap } = await read({ cursor }).then(
          (continued) => ({ page: continued, isGap: false }),
          async (error: unknown) => {
            if (ServiceError.from(error).reason !== 'cursor_invalid') throw error;
            return { page: await read({}), isGap: true };
          },
        );
        const result = resultOf(page);
        const oldest = typeof maxAgeMs === 'number' ? clock().getTime() - maxAgeMs : -Infinity;
        const events = result.events.filter(({ timestamp }) => Date.parse(timestamp) >= oldest);
        return { ...result, events, truncated: isGap || events.length < result.events.length };
      },
    },
  };
}

/** Tests are no events of a company: the operation leaves them out. */
function isOffered(name: string, companyClass: CompanyClassName): name is EventName {
  return isEventName(name) && name !== 'install.test' && EVENT_CATALOGUE[name].classes.includes(companyClass);
}

function describeEvents() {
  return createEventCatalogue().events.flatMap(({ name, meaning, schema }) =>
    isEventName(name)
      ? {
          name,
          description: `${meaning}.`.replace(/^./, (first) => first.toUpperCase()),
          delivery: ['poll'],
          inputSchema: { ...toolSchema(argumentsOf(name)), additionalProperties: false },
          payloadSchema: schema,
        }
      : [],
  );
}

/** Strict: a filter that no one reads would not filter. */
function argumentsOf(event: EventName) {
  const { fields = [] } = changesOf(event);
  const resourceId = resourceFilter;
  if (fields.length === 0) return z.strictObject({ resourceId });
  return z.strictObject({
    resourceId,
    fields: z.array(z.enum(fields)).min(1).max(fields.length).optional().meta({
      description: 'Only changes of at least one of these fields.',
    }),
  });
}

async function readPage(
  operation: OperationLike<typeof listInstallerEventsOperation>,
  { perform }: ToolCaller,
  given: object,
) {
  const query = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return eventFeed.parse(JSON.parse(await perform(operation, { query: Object.fromEntries(query) })));
}

function resultOf({ events, nextCursor, hasMore }: z.infer<typeof eventFeed>) {
  const occurrences = events.map(({ body: text }) => {
    const data = body.parse(JSON.parse(text));
    return { eventId: data.id, name: data.event, timestamp: data.occurredAt, data };
  });
  return { events: occurrences, cursor: nextCursor, hasMore, nextPollMs: NEXT_POLL_MS };
}

function valid<T>(schema: z.ZodType<T>, params: unknown): T {
  const checked = validate(z.object({ params: schema }), { params }, 'message');
  if (!checked.valid) throw invalidArgument(checked.violations);
  return checked.value.params;
}

function unknownEvent(name: string): ServiceError {
  return new ServiceError(
    'not_found',
    `params.name: must be an event of events/list, not ${JSON.stringify(name.slice(0, 100))}`,
  );
}
