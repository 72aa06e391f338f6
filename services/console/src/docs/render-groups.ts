import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
} from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING, renderEntry } from './html.js';
import {
  linkedSchemas,
  renderConstraints,
  renderFields,
  renderType,
  resolved,
  schemaAnchor,
} from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderErrorExamples, renderOperation, renderParameters } from './render-operation.js';
import { renderExample } from './render-parts.js';

/** A part of a section with a title in the contents. */
interface Entry {
  readonly anchor: string;
  readonly title: Html;
  readonly content: Html;
}

/** A section of the reference. */
export interface Group {
  readonly anchor: string;
  readonly title: string;
  /** In Markdown. */
  readonly introduction: string;
  readonly entries: readonly Entry[];
}

/** Renders the sections: a guide, the operations by their credentials, the webhooks, and the schemas that several of them share. */
export function renderGroups(
  description: ApiDescription,
  isSandbox: boolean,
): { readonly introduction: string; readonly groups: readonly Group[] } {
  const { introduction, chapters } = guideOf(description);
  return {
    introduction,
    groups: [
      {
        anchor: 'guide',
        title: 'Guide',
        introduction:
          'First request, keys, errors, retries, limits and versions, and how to receive webhooks.',
        entries: chapters,
      },
      ...description.tags
        .filter(({ name }) => name !== 'Webhooks')
        .map(({ name, description: text }) => operationGroup(name, text, description, isSandbox)),
      webhookGroup(description),
      schemaGroup(description),
    ],
  };
}

function guideOf({ guide }: ApiDescription): {
  readonly introduction: string;
  readonly chapters: readonly Entry[];
} {
  const [introduction = '', ...parts] = guide.split(/^## /m);
  const chapters = parts.map((part) => {
    const end = part.indexOf('\n');
    const title = part.slice(0, end);
    const anchor = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    return {
      anchor,
      title: html`${title}`,
      content: renderEntry(anchor, html`${title}`, renderMarkdown(part.slice(end))),
    };
  });
  return { introduction, chapters };
}

function operationGroup(
  tag: string,
  introduction: string,
  description: ApiDescription,
  isSandbox: boolean,
): Group {
  return {
    anchor: tag.toLowerCase(),
    title: tag,
    introduction,
    entries: description.operations
      .filter((operation) => operation.tag === tag)
      .map((operation) => ({
        anchor: operation.id,
        title: html`<span class="method ${operation.method.toLowerCase()}">${operation.method}</span>
          ${operation.summary}`,
        content: renderOperation(operation, description, isSandbox),
      })),
  };
}

function webhookGroup(description: ApiDescription): Group {
  return {
    anchor: 'webhooks',
    title: 'Webhooks',
    introduction:
      'What your server gets when something happens. See [Receiving webhooks](#receiving-webhooks) and [Verifying a webhook](#verifying-a-webhook).',
    entries: [
      {
        anchor: 'webhook-request',
        title: html`What every webhook has`,
        content: renderDelivery(description),
      },
      ...description.webhooks.map((webhook) => ({
        anchor: eventAnchor(webhook.path),
        title: html`${webhook.path}`,
        content: renderWebhook(webhook, description),
      })),
    ],
  };
}

/** Returns the schemas that a table links to, and that of errors. */
function schemaGroup(description: ApiDescription): Group {
  const { schemas, operations, webhooks } = description;
  const bodies = [...operations, ...webhooks].flatMap(({ body, responses }) => [
    ...(body === undefined ? [] : [body]),
    ...responses.flatMap((response) => response.body ?? []),
  ]);
  const needed = new Set<string>();
  const open = [
    'Error',
    ...operations.flatMap(({ parameters }) =>
      parameters.flatMap(({ schema }) => componentName(schema) ?? []),
    ),
    ...bodies.flatMap(({ schema }) => linkedSchemas(schema, schemas)),
  ];
  for (const name of open) {
    if (needed.has(name)) continue;
    needed.add(name);
    open.push(...linkedSchemas(schemas[name] ?? {}, schemas));
  }
  return {
    anchor: 'schemas',
    title: 'Schemas',
    introduction: 'Schemas that several responses share.',
    entries: Object.entries(schemas)
      // An event's data is rendered with the event.
      .filter(([name]) => needed.has(name) && !name.endsWith('Data'))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => {
        const anchor = schemaAnchor(name);
        return {
          anchor,
          title: html`${name}`,
          content: renderEntry(
            anchor,
            html`${name}`,
            html`${schema.description === undefined ? NOTHING : html`<p>${renderInline(schema.description)}</p>`}
            ${schema.oneOf === undefined ? NOTHING : html`<p>${renderType(schema)}</p>`}
            ${renderConstraints(schema)} ${renderFields(schema, schemas)}
            ${name === 'Error' ? renderErrorExamples(operations) : NOTHING}`,
          ),
        };
      }),
  };
}

/** Returns the anchor of an event. */
function eventAnchor(event: string): string {
  return `event-${event}`;
}

/** Renders what all webhooks share: the headers, and the envelope around the data. */
function renderDelivery({ webhooks, schemas }: ApiDescription): Html {
  const [any] = webhooks;
  if (any?.body === undefined) return NOTHING;
  const envelope = resolved(any.body.schema, schemas);
  const properties = Object.fromEntries(
    Object.entries(envelope.properties ?? {}).map(([name, property]) => [
      name,
      name === 'data'
        ? { type: 'object', description: 'What happened; differs from event to event, see below.' }
        : name === 'event'
          ? { type: 'string', description: 'The name of the event.' }
          : property,
    ]),
  );
  return renderEntry(
    'webhook-request',
    html`What every webhook has`,
    html`<p class="endpoint">
        <span class="method post">POST</span> <code>https://your-server.example/…</code>
      </p>
      <h3>Headers</h3>
      ${renderParameters(any.parameters, 'Header')}
      <h3>Envelope</h3>
      ${renderFields({ ...envelope, properties }, schemas)}
      <h3>Your response</h3>
      <ul>
        ${any.responses.map(
          ({ status, description }) =>
            html`<li><code>${status === 'default' ? 'else' : status}</code> ${description}</li>`,
        )}
      </ul>`,
  );
}

/** Renders one event: its data and an example of the whole body. */
function renderWebhook({ path: event, description, body }: DescribedOperation, api: ApiDescription): Html {
  const data = body === undefined ? undefined : resolved(body.schema, api.schemas).properties?.['data'];
  return renderEntry(
    eventAnchor(event),
    html`<code>${event}</code>`,
    html`${renderMarkdown(description)}
      <h3>Data</h3>
      ${data === undefined ? NOTHING : renderFields(data, api.schemas, 'data.')}
      ${(body?.examples ?? []).map(({ value }) => renderExample('Example', value))}`,
  );
}
