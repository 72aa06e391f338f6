import { html, NOTHING } from './html.js';
import { renderMarkdown, renderWithAnchors } from './render-markdown.js';
import { renderPage } from './render-page.js';

const TITLE = 'Partner Integration API: changelog';

/** Paths that the page of the changelog names. */
export interface ChangelogPaths {
  readonly icon: string;
  readonly reference: string;
  readonly changelogFeed: string;
}

/** Renders the changelog as a page. */
export function renderChangelog(changelog: string, paths: ChangelogPaths): string {
  return renderPage({
    title: TITLE,
    icon: paths.icon,
    head: html`<link
      rel="alternate"
      href="${paths.changelogFeed}"
      type="application/atom+xml"
      title="${TITLE}"
    />`,
    body: html`<header class="bar">
        <p class="brand"><a href="${paths.reference}">API reference</a></p>
        <p class="download"><a href="${paths.changelogFeed}">Atom feed</a></p>
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

/** Paths that the landing page names. */
export interface LandingPaths {
  readonly icon: string;
  readonly console: string;
  readonly reference: string;
  readonly changelog: string;
}

const DEMO = html`<li>
  Demo: <code>scripts/up --demo</code> plays the main job, from a lead to a verified webhook.
</li>`;

/** Renders the page at the root of the public address. On a local stack it also says how to see the logins and the demo. */
export function renderLandingPage(paths: LandingPaths, isLocal: boolean): string {
  return renderPage({
    title: 'Partner integration service',
    icon: paths.icon,
    body: html`<main>
      <h1>Partner integration service</h1>
      <ul>
        <li>
          <a href="${paths.console}">Partner console</a>: webhooks, deliveries and API keys of your company.
          ${isLocal ? html`<code>scripts/up --status</code> prints the logins.` : NOTHING}
        </li>
        <li><a href="${paths.reference}">API reference</a>: every operation and webhook, with examples.</li>
        <li><a href="${paths.changelog}">Changelog</a>: what changed for developers of partners.</li>
        ${isLocal ? DEMO : NOTHING}
      </ul>
    </main>`,
  });
}
