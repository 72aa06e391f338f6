import type { ApiDescription, DescribedOperation } from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { renderFields, resolved } from './render-fields.js';
import { renderExample } from './render-json.js';
import { renderMarkdown } from './render-markdown.js';
import { renderParameters } from './render-operation.js';

/** Returns the anchor of an event. */
export function eventAnchor(event: string): string {
  return `event-${event}`;
}

/** Renders what all webhooks share: the headers, and the envelope around the data. */
export function renderDelivery({ webhooks, schemas }: ApiDescription): Html {
  const [any] = webhooks;
  if (any?.body === undefined) return NOTHING;
  const envelope = resolved(any.body.schema, schemas);
  const properties = Object.fromEntries(
    Object.entries(envelope.properties ?? {}).map(([name, property]) => [
      name,
      name === 'data'
        ? { type: 'object', description: 'What happened; differs from event to event, see below.' }
        : name === 'event'
          ? { type: 'string', description: 'The name of the event.' }
          : property,
    ]),
  );
  return html`<article class="entry" id="webhook-request" aria-labelledby="webhook-request-title" data-entry>
    <h2 id="webhook-request-title"><a class="anchor" href="#webhook-request">What every webhook has</a></h2>
    <p class="endpoint"><span class="method post">POST</span> <code>https://your-server.example/…</code></p>
    <h3>Headers</h3>
    ${renderParameters(any.parameters, 'Header')}
    <h3>Envelope</h3>
    ${renderFields({ ...envelope, properties }, schemas)}
    <h3>Your response</h3>
    <ul>
      ${any.responses.map(
        ({ status, description }) =>
          html`<li><code>${status === 'default' ? 'else' : status}</code> ${description}</li>`,
      )}
    </ul>
  </article>`;
}

/** Renders one event: its data and an example of the whole body. */
export function renderWebhook(
  { path: event, description, body }: DescribedOperation,
  api: ApiDescription,
): Html {
  const id = eventAnchor(event);
  const data = body === undefined ? undefined : resolved(body.schema, api.schemas).properties?.['data'];
  return html`<article class="entry" id="${id}" aria-labelledby="${id}-title" data-entry>
    <h2 id="${id}-title">
      <a class="anchor" href="#${id}"><code>${event}</code></a>
    </h2>
    ${renderMarkdown(description)}
    <h3>Data</h3>
    ${data === undefined ? NOTHING : renderFields(data, api.schemas, 'data.')}
    ${(body?.examples ?? []).map(({ value }) => renderExample('Example', value))}
  </article>`;
}
