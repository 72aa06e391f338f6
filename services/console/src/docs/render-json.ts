import { type Html, html } from './html.js';

/** Renders a JSON value, indented. The page's script colours it. */
export function renderJson(value: unknown): Html {
  return html`<pre><code class="json">${JSON.stringify(value, null, 2)}</code></pre>`;
}

const LINES_SHOWN_AT_ONCE = 24;

/** Renders an example under its title, collapsed if it is long. */
export function renderExample(title: string, value: unknown): Html {
  const isShort = JSON.stringify(value, null, 2).split('\n').length <= LINES_SHOWN_AT_ONCE;
  const content = html`<summary>${title}</summary>
    ${renderJson(value)}`;
  return isShort ? html`<details open>${content}</details>` : html`<details>${content}</details>`;
}
