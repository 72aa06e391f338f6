import { type ApiDescription, componentName } from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { linkedSchemas, renderConstraints, renderFields, renderType, schemaAnchor } from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderErrorExamples, renderOperation } from './render-operation.js';
import { eventAnchor, renderDelivery, renderWebhook } from './render-webhooks.js';

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
      content: html`<article class="entry" id="${anchor}" aria-labelledby="${anchor}-title" data-entry>
        <h2 id="${anchor}-title"><a class="anchor" href="#${anchor}">${title}</a></h2>
        ${renderMarkdown(part.slice(end))}
      </article>`,
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
          content: html`<article class="entry" id="${anchor}" aria-labelledby="${anchor}-title" data-entry>
            <h2 id="${anchor}-title"><a class="anchor" href="#${anchor}">${name}</a></h2>
            ${schema.description === undefined ? NOTHING : html`<p>${renderInline(schema.description)}</p>`}
            ${schema.oneOf === undefined ? NOTHING : html`<p>${renderType(schema)}</p>`}
            ${renderConstraints(schema)} ${renderFields(schema, schemas)}
            ${name === 'Error' ? renderErrorExamples(operations) : NOTHING}
          </article>`,
        };
      }),
  };
}
