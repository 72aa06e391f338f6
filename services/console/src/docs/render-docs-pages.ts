import type { ApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { type Group, renderGroups } from './render-groups.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderPage } from './render-page.js';

/** Paths that the pages name. */
export interface DocsPaths {
  /** The start page; the other pages are below it. */
  readonly reference: string;
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

/**
 * Renders an API description as pages, by their paths: a start page, one for each section, and `all`, which has every section for
 * the search. Each operation, event and schema has its own anchor. The pages work without a script; only the search, the copy
 * buttons and the forms of the sandbox need one, and are absent without it.
 */
export function renderDocsPages(
  description: ApiDescription,
  paths: DocsPaths,
  isSandbox: boolean,
): ReadonlyMap<string, string> {
  const { introduction, groups } = renderGroups(description, isSandbox);
  const pathOf = (name: string) => `${paths.reference}/${name}`;
  const about = html`<div data-introduction>
    ${renderMarkdown(introduction)}
    <p>Base address: <code>${description.serverUrl}</code></p>
  </div>`;
  const title = html`<h1>${description.title}</h1>`;
  /** A page with the sections `shown` in `main`; links to the other sections lead to their pages. */
  const render = (
    page: { readonly title: string; readonly contents: Html; readonly main: Html },
    shown: readonly Group[],
  ) => {
    const text = renderPage({
      title: `${description.title}: ${page.title}`,
      icon: paths.icon,
      head: html`<script type="module" fetchpriority="low" src="${paths.search}"></script>
        <script type="module" fetchpriority="low" src="${paths.codeBlocks}"></script>
        ${isSandbox ? html`<script type="module" fetchpriority="low" src="${paths.tryIt}"></script>` : NOTHING}`,
      body: html`<a class="skip" href="#content">Skip to the content</a>
        ${renderBar(description, paths, shown.length === groups.length ? '' : pathOf('all'))}
        <div class="layout">
          <nav aria-label="Contents">
            <details id="contents">
              <summary>Contents</summary>
              ${page.contents}
              <p class="title"><a href="${pathOf('all')}">All on one page</a></p>
            </details>
          </nav>
          <main id="content" tabindex="-1">${page.main}</main>
        </div>`,
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
    main: html`${title}${about}${guide?.entries[0]?.content ?? NOTHING}
      <h2>Sections</h2>
      <dl>
        ${groups.map(
          (group) =>
            html`<dt><a href="#${group.anchor}">${group.title}</a></dt>
              <dd>${renderInline(group.introduction)}</dd>`,
        )}
      </dl>`,
  };
  const all = {
    title: 'complete reference',
    contents: start.contents,
    main: html`${title}${about}${groups.map((group) => renderGroup(group, 'h2'))}`,
  };
  return new Map([
    [paths.reference, render(start, [])],
    [pathOf('all'), render(all, groups)],
    ...groups.map((group) => {
      const contents = html`${groups.map((each) => renderContents(each, each === group))}`;
      const section = { title: group.title, contents, main: renderGroup(group, 'h1') };
      return [pathOf(group.anchor), render(section, [group])] as const;
    }),
  ]);
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

function renderBar({ title, version }: ApiDescription, paths: DocsPaths, searchPage: string): Html {
  return html`<header class="bar">
    <p class="brand">
      <a href="${paths.reference}">${title}</a>
      <span class="version">version ${version}</span>
    </p>
    <form class="search" role="search" id="search" data-page="${searchPage}" hidden>
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
      <a href="${paths.postman}">Postman collection</a>. <a href="${paths.llms}">Markdown for assistants</a>.
      <a href="${paths.receiverCode}">Receiver code</a>. <a href="${paths.changelog}">Changelog</a>
    </p>
  </header>`;
}

function renderContents({ anchor, title, entries }: Group, isOpen = true): Html {
  return html`<section data-group>
    <p class="title"><a href="#${anchor}">${title}</a></p>
    ${
      isOpen
        ? html`<ul>
            ${entries.map(
              (entry) =>
                html`<li data-for="${entry.anchor}"><a href="#${entry.anchor}">${entry.title}</a></li>`,
            )}
          </ul>`
        : NOTHING
    }
  </section>`;
}

function renderGroup({ anchor, title, introduction, entries }: Group, heading: 'h1' | 'h2'): Html {
  return html`<section class="group" id="${anchor}" aria-labelledby="${anchor}-title" data-group>
    <${heading} id="${anchor}-title">${title}</${heading}>
    <p data-introduction>${renderInline(introduction)}</p>
    ${entries.map(({ content }) => content)}
  </section>`;
}
