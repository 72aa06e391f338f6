import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
} from '@partner/proto-contracts/openapi/api-description';
import { bundledPath } from '../bundle/bundled-files.js';
import { type Html, html, NOTHING, textOf } from './html.js';
import {
  linkedSchemas,
  renderConstraints,
  renderFields,
  renderJson,
  renderNamed,
  renderType,
  resolved,
  schemaAnchor,
} from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderOperation, renderParameters } from './render-operation.js';
import { PATHS, renderPage } from './render-page.js';

/** A part of a section with a title in the contents. */
interface Entry {
  readonly anchor: string;
  readonly title: Html;
  /** Its line in the contents and the search; the title, if absent. */
  readonly line?: Html;
  readonly content: Html;
}

interface Group {
  readonly anchor: string;
  readonly title: string;
  /** In Markdown. */
  readonly introduction: string;
  readonly entries: readonly Entry[];
}

/**
 * Renders an API description as pages, by their paths: a start page, one for each section, and `all`, which has every section, for
 * printing. Each operation, event and schema has its own anchor. The pages work without a script; only the search, the copy
 * buttons, the tabs and the forms of the sandbox need one, and are absent without it.
 */
export function renderDocsPages(
  description: ApiDescription,
  isSandbox: boolean,
): ReadonlyMap<string, string> {
  const { introduction, groups } = renderGroups(description, isSandbox);
  const pathOf = (name: string) => `${PATHS.reference}/${name}`;
  const about = html`<h1>${description.title}</h1>
    ${renderMarkdown(introduction)}
    <p>Base address: <code>${description.serverUrl}</code></p>`;
  /** A page with the sections `shown` in `main`; links to the other sections lead to their pages. */
  const render = (
    page: { readonly title: string; readonly contents: Html; readonly main: Html },
    shown: readonly Group[],
  ) => {
    const text = renderPage({
      title: `${description.title}: ${page.title}`,
      ...(isSandbox && { head: html`<script type="module" src="${bundledPath('try-it.js')}"></script>` }),
      body: html`<a class="skip" href="#content">Skip to the content</a>
        ${renderHeader(description)}
        <nav id="contents" popover aria-label="Contents">${page.contents} ${LINKS}</nav>
        <main id="content" tabindex="-1">${page.main}</main>`,
    });
    return linkedAcross(
      text,
      groups.filter((group) => !shown.includes(group)),
      pathOf,
    );
  };
  const [guide] = groups;
  const start = {
    title: 'reference',
    contents: html`${groups.map((group) => renderContents(group))}`,
    main: html`${about}${(guide?.entries ?? []).slice(0, 1).map(renderEntry)}
      <h2>Sections</h2>
      ${renderNamed(
        groups.map((group) => ({
          name: html`<a href="#${group.anchor}">${group.title}</a>`,
          description: renderInline(group.introduction),
        })),
      )}`,
  };
  const all = {
    title: 'complete reference',
    contents: start.contents,
    main: html`${about}${groups.map((group) => renderGroup(group, 'h2'))}`,
  };
  return new Map([
    [PATHS.reference, render(start, [])],
    [pathOf('all'), render(all, groups)],
    ...groups.map((group) => {
      const contents = html`${groups.map((each) => renderContents(each, each === group))}`;
      const section = { title: group.title, contents, main: renderGroup(group, 'h1') };
      return [pathOf(group.anchor), render(section, [group])] as const;
    }),
  ]);
}

/** Returns what the search of the reference finds, as JSON. */
export function renderSearchIndex(description: ApiDescription): string {
  const sections = renderGroups(description, false).groups.flatMap(({ anchor, title: group, entries }) =>
    entries.map((entry) => ({
      title: textOf(entry.line ?? entry.title),
      group,
      path: `${PATHS.reference}/${anchor}#${entry.anchor}`,
      text: textOf(entry.content).toLowerCase(),
    })),
  );
  return JSON.stringify(sections);
}

/** Makes links to anchors of `elsewhere` lead to the pages that have them. Texts are escaped: what looks like a link is one. */
function linkedAcross(page: string, elsewhere: readonly Group[], pathOf: (name: string) => string): string {
  const targets = new Map(
    elsewhere.flatMap(({ anchor: group, entries }) => [
      [group, pathOf(group)] as const,
      ...entries.map(({ anchor }) => [anchor, `${pathOf(group)}#${anchor}`] as const),
    ]),
  );
  return page.replaceAll(
    /href="#([^"]*)"/g,
    (_, anchor: string) => `href="${targets.get(anchor) ?? `#${anchor}`}"`,
  );
}

function renderHeader({ version }: ApiDescription): Html {
  return html`<header>
    <a class="brand" href="${PATHS.reference}">
      <img src="${bundledPath('icon.svg')}" width="24" height="24" alt="" />
      <span><b>API reference</b> <small>Version ${version}</small></span>
    </a>
    <form class="search" role="search" id="search">
      <input
        type="search"
        id="search-text"
        aria-label="Search"
        autocomplete="off"
        spellcheck="false"
        placeholder="Search"
        aria-describedby="search-result"
      />
      <kbd aria-hidden="true">Ctrl K</kbd>
      <p id="search-result" role="status"></p>
      <div id="hits" hidden></div>
    </form>
    <button class="button menu" type="button" popovertarget="contents">Contents</button>
  </header>`;
}

const LINKS = html`<p class="title">More</p>
  <ul>
    <li><a href="${PATHS.receiverCode}">Receiver code</a></li>
    <li><a href="${PATHS.changelog}">Changelog</a></li>
    <li><a href="${PATHS.openApi}">OpenAPI 3.1, JSON</a></li>
    <li><a href="${PATHS.openApiYaml}">OpenAPI 3.1, YAML</a></li>
    <li><a href="${PATHS.postman}">Postman collection</a></li>
    <li><a href="${PATHS.llms}">Markdown for assistants</a></li>
    <li><a href="${PATHS.reference}/all">Everything on one page, to print</a></li>
    <li><a href="${PATHS.console}">← Back to the console</a></li>
  </ul>`;

function renderContents({ anchor, title, entries }: Group, isOpen = true): Html {
  return html`<section>
    <p class="title"><a href="#${anchor}">${title}</a></p>
    ${
      isOpen
        ? html`<ul>
            ${entries.map(
              ({ anchor: target, title: text, line = text }) =>
                html`<li data-for="${target}"><a href="#${target}">${line}</a></li>`,
            )}
          </ul>`
        : NOTHING
    }
  </section>`;
}

function renderGroup({ anchor, title, introduction, entries }: Group, heading: 'h1' | 'h2'): Html {
  return html`<section id="${anchor}">
    <${heading}>${title}</${heading}>
    <p>${renderInline(introduction)}</p>
    ${entries.map(renderEntry)}
  </section>`;
}

function renderEntry({ anchor, title, content }: Entry): Html {
  return html`<article class="entry" id="${anchor}" aria-labelledby="${anchor}-title">
    <h2 id="${anchor}-title"><a class="anchor" href="#${anchor}">${title}</a></h2>
    ${content}
  </article>`;
}

/** Renders the sections: a guide, the operations by their credentials, the webhooks, and the schemas that several of them share. */
function renderGroups(
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
    return {
      anchor: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      title: html`${title}`,
      content: renderMarkdown(part.slice(end)),
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
        title: html`${operation.summary}`,
        line: html`<span class="method ${operation.method.toLowerCase()}">${operation.method}</span>
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
      'What your server receives when something happens. See [Receiving webhooks](#receiving-webhooks) and [Verifying a webhook](#verifying-a-webhook).',
    entries: [
      {
        anchor: 'webhook-request',
        title: html`Common to all webhooks`,
        content: renderDelivery(description),
      },
      ...description.webhooks.map((webhook) => ({
        anchor: `event-${webhook.path}`,
        title: html`<code>${webhook.path}</code>`,
        content: renderWebhook(webhook, description),
      })),
    ],
  };
}

/** Returns the schemas that fields link to, and that of errors. */
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
      .map(([name, schema]) => ({
        anchor: schemaAnchor(name),
        title: html`${name}`,
        content: html`${schema.description === undefined ? NOTHING : html`<p>${renderInline(schema.description)}</p>`}
        ${schema.oneOf === undefined ? NOTHING : html`<p>${renderType(schema)}</p>`}
        ${renderConstraints(schema)} ${renderFields(schema, schemas)}`,
      })),
  };
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
        ? { type: 'object', description: 'What happened. It differs by event; see below.' }
        : name === 'event'
          ? { type: 'string', description: 'The name of the event.' }
          : property,
    ]),
  );
  return html`<p><span class="method">POST</span> <code>https://your-server.example/…</code></p>
    <h3>Headers</h3>
    ${renderParameters(any.parameters)}
    <h3>Envelope</h3>
    ${renderFields({ ...envelope, properties }, schemas)}
    <h3>Your response</h3>
    <ul>
      ${any.responses.map(
        ({ status, description }) =>
          html`<li><code>${status === 'default' ? 'else' : status}</code> ${description}</li>`,
      )}
    </ul>`;
}

function renderWebhook({ description, body }: DescribedOperation, { schemas }: ApiDescription): Html {
  const data = body === undefined ? undefined : resolved(body.schema, schemas).properties?.['data'];
  return html`<div class="columns">
    <div>
      ${renderMarkdown(description)}
      <h3>Data</h3>
      ${data === undefined ? NOTHING : renderFields(data, schemas, 'data.')}
    </div>
    <div class="side">${(body?.examples ?? []).map(({ value }) => renderJson(value))}</div>
  </div>`;
}
