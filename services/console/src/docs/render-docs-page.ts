import { type ApiDescription, componentName } from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { linkedSchemas, renderConstraints, renderFields, renderType, schemaAnchor } from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderErrorExamples, renderOperation } from './render-operation.js';
import { eventAnchor, renderDelivery, renderWebhook } from './render-webhooks.js';

/** Paths of the page's resources. */
export interface DocsPaths {
  readonly style: string;
  readonly search: string;
  readonly codeBlocks: string;
  readonly tryIt: string;
  readonly icon: string;
  readonly openApi: string;
  readonly openApiYaml: string;
  readonly postman: string;
  readonly receiverCode: string;
  readonly changelog: string;
  readonly llms: string;
}

/** A section of the page with a title in the contents. */
interface Entry {
  readonly anchor: string;
  readonly title: Html;
  readonly content: Html;
}

interface Group {
  readonly anchor: string;
  readonly title: string;
  /** In Markdown; may be empty. */
  readonly introduction: string;
  readonly entries: readonly Entry[];
}

/**
 * Renders an API description as one page: a guide, every operation, every webhook, and their shared schemas, each with
 * its own anchor. The page works without a script; only the search, the copy buttons and the forms of the sandbox need one, and are
 * absent without it.
 */
export function renderDocsPage(description: ApiDescription, paths: DocsPaths, isSandbox: boolean): string {
  const { introduction, chapters } = guideOf(description);
  const groups = [
    { anchor: 'guide', title: 'Guide', introduction: '', entries: chapters },
    ...description.tags
      .filter(({ name }) => name !== 'Webhooks')
      .map(({ name, description: text }) => operationGroup(name, text, description, isSandbox)),
    webhookGroup(description),
    schemaGroup(description),
  ];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${description.title}: reference</title>
        <link rel="icon" href="${paths.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${paths.style}" />
        <script type="module" src="${paths.search}"></script>
        <script type="module" src="${paths.codeBlocks}"></script>
        ${isSandbox ? html`<script type="module" src="${paths.tryIt}"></script>` : NOTHING}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar">
          <p class="brand">
            <a href="#content">${description.title}</a>
            <span class="version">version ${description.version}</span>
          </p>
          <form class="search" role="search" id="search" hidden>
            <label for="search-text">Search</label>
            <input
              type="search"
              id="search-text"
              autocomplete="off"
              spellcheck="false"
              placeholder="operation, field, error, event"
              aria-describedby="search-result"
            />
            <p id="search-result" role="status"></p>
          </form>
          <p class="download">
            OpenAPI 3.1: <a href="${paths.openApi}">JSON</a>, <a href="${paths.openApiYaml}">YAML</a>.
            <a href="${paths.postman}">Postman collection</a>.
            <a href="${paths.llms}">Markdown for assistants</a>.
            <a href="${paths.receiverCode}">Receiver code</a>. <a href="${paths.changelog}">Changelog</a>
          </p>
        </header>
        <div class="layout">
          <nav aria-label="Contents">
            <details id="contents">
              <summary>Contents</summary>
              ${groups.map(renderContents)}
            </details>
          </nav>
          <main id="content" tabindex="-1">
            <h1>${description.title}</h1>
            <div data-introduction>
              ${renderMarkdown(introduction)}
              <p>Base address: <code>${description.serverUrl}</code></p>
            </div>
            ${groups.map(renderGroup)}
          </main>
        </div>
      </body>
    </html> `;
  return page.html;
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
        <h3 id="${anchor}-title"><a class="anchor" href="#${anchor}">${title}</a></h3>
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
            <h3 id="${anchor}-title"><a class="anchor" href="#${anchor}">${name}</a></h3>
            ${schema.description === undefined ? NOTHING : html`<p>${renderInline(schema.description)}</p>`}
            ${schema.oneOf === undefined ? NOTHING : html`<p>${renderType(schema)}</p>`}
            ${renderConstraints(schema)} ${renderFields(schema, schemas)}
            ${name === 'Error' ? renderErrorExamples(operations) : NOTHING}
          </article>`,
        };
      }),
  };
}

function renderContents({ anchor, title, entries }: Group): Html {
  return html`<section data-group>
    <p class="title"><a href="#${anchor}">${title}</a></p>
    <ul>
      ${entries.map(
        (entry) => html`<li data-for="${entry.anchor}"><a href="#${entry.anchor}">${entry.title}</a></li>`,
      )}
    </ul>
  </section>`;
}

function renderGroup({ anchor, title, introduction, entries }: Group): Html {
  return html`<section class="group" id="${anchor}" aria-labelledby="${anchor}-title" data-group>
    <h2 id="${anchor}-title">${title}</h2>
    ${introduction === '' ? NOTHING : html`<p data-introduction>${renderInline(introduction)}</p>`}
    ${entries.map(({ content }) => content)}
  </section>`;
}
