import { type Html, html } from './html.js';

/** Renders a JSON value, indented, with its keys and values marked up for the style sheet. */
export function renderJson(value: unknown): Html {
  return html`<pre><code class="json">${jsonText(value, '')}</code></pre>`;
}

const LINES_SHOWN_AT_ONCE = 24;

/** Renders an example under its title, collapsed if it is long. */
export function renderExample(title: string, value: unknown): Html {
  const isShort = JSON.stringify(value, null, 2).split('\n').length <= LINES_SHOWN_AT_ONCE;
  const content = html`<summary>${title}</summary>
    ${renderJson(value)}`;
  return isShort ? html`<details open>${content}</details>` : html`<details>${content}</details>`;
}

function jsonText(value: unknown, indent: string): Html {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => jsonText(item, `${indent}  `));
    return enclosed('[', items, ']', indent);
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) =>
        html`<span class="key">${JSON.stringify(name)}</span>: ${jsonText(member, `${indent}  `)}`,
    );
    return enclosed('{', members, '}', indent);
  }
  return typeof value === 'string'
    ? html`<span class="text">${JSON.stringify(value)}</span>`
    : html`<span class="atom">${JSON.stringify(value)}</span>`;
}

function enclosed(open: string, parts: readonly Html[], close: string, indent: string): Html {
  if (parts.length === 0) return html`${open}${close}`;
  const lines = parts.map(
    (part, place) => html`${`\n${indent}  `}${part}${place + 1 < parts.length ? ',' : ''}`,
  );
  return html`${open}${lines}${`\n${indent}`}${close}`;
}
