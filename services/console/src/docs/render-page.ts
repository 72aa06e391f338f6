import { createHash } from 'node:crypto';
import { DOCS_STYLE } from './docs-style.js';
import { type Html, html, NOTHING } from './html.js';
import { renderMarkdown, renderWithAnchors } from './render-markdown.js';

export const PATHS = {
  search: '/docs/search.js',
  codeBlocks: '/docs/code-blocks.js',
  tryIt: '/docs/try-it.js',
  icon: '/docs/icon.svg',
  openApi: '/openapi.json',
  openApiYaml: '/docs/openapi.yaml',
  postman: '/docs/postman-collection.json',
  console: '/console',
  receiverCode: '/console/receiver-code',
  reference: '/docs',
  changelog: '/docs/changelog',
  changelogFeed: '/docs/changelog.atom',
  changelogMarkdown: '/docs/changelog.md',
  llms: '/llms.txt',
} as const;

/** A page loads everything from its own origin, has no inline script and only its own inline style, and sends nothing. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The hash covers everything between the tags. */
const STYLE: Html = { html: `<style>${DOCS_STYLE}</style>` };

/** Renders a page with its style inline: a separate style sheet delays the first paint by a round trip. */
export function renderPage({
  title,
  head = NOTHING,
  body,
}: {
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
}): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${PATHS.icon}" type="image/svg+xml" />
        ${STYLE} ${head}
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
    body: html`<header class="bar">
        <p class="brand"><a href="${PATHS.reference}">API reference</a></p>
        <p class="download"><a href="${PATHS.changelogFeed}">Atom feed</a></p>
      </header>
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

const DEMO = html`<li>
  Demo: <code>scripts/up --demo</code> plays the main job, from a lead to a verified webhook.
</li>`;

/** Renders the page at the root of the public address. On a local stack it also says how to see the logins and the demo. */
export function renderLandingPage(isLocal: boolean): string {
  return renderPage({
    title: 'Partner integration service',
    body: html`<main>
      <h1>Partner integration service</h1>
      <ul>
        <li>
          <a href="${PATHS.console}">Partner console</a>: webhooks, deliveries and API keys of your company.
          ${isLocal ? html`<code>scripts/up --status</code> prints the logins.` : NOTHING}
        </li>
        <li><a href="${PATHS.reference}">API reference</a>: every operation and webhook, with examples.</li>
        <li><a href="${PATHS.changelog}">Changelog</a>: what changed for developers of partners.</li>
        ${isLocal ? DEMO : NOTHING}
      </ul>
    </main>`,
  });
}
