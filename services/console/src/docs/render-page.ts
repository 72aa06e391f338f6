import { createHash } from 'node:crypto';
import { bundledPath, bundledText } from '../bundle/bundled-files.js';
import { type Html, html, NOTHING } from './html.js';
import { renderMarkdown, renderWithAnchors } from './render-markdown.js';

export const PATHS = {
  search: '/docs/search.json',
  ownIds: '/docs/ids.json',
  openApi: '/openapi.json',
  openApiYaml: '/docs/openapi.yaml',
  postman: '/docs/postman-collection.json',
  console: '/console',
  clients: '/clients',
  receiverCode: '/console/receiver-code',
  reference: '/docs',
  changelog: '/docs/changelog',
  changelogFeed: '/docs/changelog.atom',
  changelogMarkdown: '/docs/changelog.md',
  llms: '/llms.txt',
} as const;

/** Pages outside of the app: those for people without a session, and the reference. */
type PageKind = 'signed-out' | 'reference';

/** A page loads everything from its own origin, and has no inline script and only its own inline style. */
export function pagePolicy(kind: PageKind, rest: readonly string[]): string {
  const hash = createHash('sha256').update(styleOf(kind)).digest('base64');
  const own = ['script-src', 'img-src', 'font-src'].map((name) => `${name} 'self'`);
  const none = ['base-uri', 'frame-ancestors'].map((name) => `${name} 'none'`);
  return ["default-src 'none'", `style-src 'sha256-${hash}'`, ...own, ...none, ...rest].join('; ');
}

const styleOf = (kind: PageKind) => bundledText(`${kind}.css`);

/** Renders a page with its style inline: a separate style sheet delays the first paint by a round trip. `early` runs before it. */
export function renderPage({
  kind = 'reference',
  title,
  head = NOTHING,
  early = ['color-scheme'],
  body,
}: {
  readonly kind?: PageKind;
  readonly title: string;
  readonly head?: Html;
  readonly early?: readonly string[];
  readonly body: Html;
}): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="${bundledPath('icon.svg')}" type="image/svg+xml" />
        <link rel="preload" href="${bundledPath('inter.woff2')}" as="font" type="font/woff2" crossorigin />
        ${early.map((name) => html`<script src="${bundledPath(`${name}.js`)}"></script>`)}
        ${{ html: `<style>${styleOf(kind)}</style>` }}
        <script type="module" src="${bundledPath(`${kind}.js`)}"></script>
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return page.html;
}

const TITLE = 'Partner Integration API: changelog';

export function renderChangelog(changelog: string): string {
  return renderPage({
    title: TITLE,
    head: html`<link
      rel="alternate"
      href="${PATHS.changelogFeed}"
      type="application/atom+xml"
      title="${TITLE}"
    />`,
    body: html`<header>
        <a class="brand" href="${PATHS.reference}">
          <img src="${bundledPath('icon.svg')}" width="24" height="24" alt="" />
          <b>Changelog</b>
        </a>
      </header>
      <nav aria-label="Pages">
        <ul>
          <li><a href="${PATHS.reference}">API reference</a></li>
          <li><a href="${PATHS.changelogFeed}">Atom feed</a></li>
          <li><a href="${PATHS.console}">← Back to the console</a></li>
        </ul>
      </nav>
      <main>${renderWithAnchors(changelog)}</main>`,
  });
}

/** Renders the dated entries of the changelog as an Atom feed (RFC 4287), newest first. */
export function renderChangelogFeed(changelog: string, pageUrl: string, feedUrl: string): string {
  const entries = changelog.split(/^## /m).flatMap((section) => {
    const [, date, text] = /^(\d{4}-\d{2}-\d{2})\n(.*)$/s.exec(section) ?? [];
    return date === undefined || text === undefined ? [] : [{ date, text }];
  });
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
    <title>${TITLE}</title>
    <id>${pageUrl}</id>
    <link rel="alternate" href="${pageUrl}" />
    <link rel="self" href="${feedUrl}" />
    <updated>${entries[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
    <author><name>Partner Integration API</name></author>
    ${entries.map(
      ({ date, text }) =>
        html`<entry>
          <title>${date}</title>
          <id>${pageUrl}#${date}</id>
          <link rel="alternate" href="${pageUrl}#${date}" />
          <updated>${date}T00:00:00Z</updated>
          <content type="html" xml:base="${pageUrl}">${renderMarkdown(text).html}</content>
        </entry>`,
    )}
  </feed>`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.html}\n`;
}
