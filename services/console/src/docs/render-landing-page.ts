import { html, NOTHING } from './html.js';
import { renderPage } from './render-page.js';

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
