import { ERROR_REASON_CATALOGUE, isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type {
  ApiDescription,
  DescribedResponse,
  DescribedBody,
  DescribedOperation,
  DescribedParameter,
} from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING, renderEntry } from './html.js';
import { renderConstraints, renderFields, renderType, type Schemas } from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { renderExample, renderJson, renderRows } from './render-parts.js';
import { curlCommand, requestExamples } from './request-examples.js';
import { renderTryForm } from './render-try-form.js';

/** Renders one operation under an anchor with its id; in the sandbox with a form that sends it. */
export function renderOperation(
  operation: DescribedOperation,
  description: ApiDescription,
  isSandbox: boolean,
): Html {
  const { id, method, path, summary, body, responses } = operation;
  const { schemas } = description;
  const successes = responses.filter(({ errorCodes }) => errorCodes.length === 0);
  return renderEntry(
    id,
    html`${summary}`,
    html`<p class="endpoint">
        <span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
      </p>
      ${renderMarkdown(operation.description)}
      <h3>Request</h3>
      <pre><code>${curlCommand(operation, description)}</code></pre>
      ${renderRequestExamples(operation, description)} ${isSandbox ? renderTryForm(operation) : NOTHING}
      ${renderParameters(operation.parameters)}
      ${body === undefined ? NOTHING : renderRequestBody(body, schemas)}
      <h3>Responses</h3>
      ${successes.map((response) => renderResponse(response, schemas))}
      <h3>Errors</h3>
      ${renderErrors(responses)}`,
  );
}

function renderRequestExamples(operation: DescribedOperation, description: ApiDescription): Html {
  const examples = requestExamples(operation, description);
  if (examples.length === 0) return NOTHING;
  return html`<details>
    <summary>In TypeScript, Python, Go and Java</summary>
    ${examples.map(
      ({ language, code }) =>
        html`<p class="language">${language}</p>
          <pre><code>${code}</code></pre>`,
    )}
  </details>`;
}

/** Renders parameters as a table; empty if there are none. */
export function renderParameters(parameters: readonly DescribedParameter[], title = 'Parameter'): Html {
  if (parameters.length === 0) return NOTHING;
  return renderRows(
    [title, 'Type', 'Description'],
    parameters.map(({ name, in: place, required, schema, description = '', example }) => [
      html`<code class="field">${name}</code
        >${required === true ? NOTHING : html` <span class="optional">optional</span>`}`,
      html`${renderType(schema)} <span class="place">in ${place}</span>`,
      html`<p>${renderInline(description)}</p>
        ${renderConstraints(schema)}${
          example === undefined ? NOTHING : html`<p class="example">e.g. <code>${example}</code></p>`
        }`,
    ]),
    'fields',
  );
}

function renderRequestBody({ schema, examples }: DescribedBody, schemas: Schemas): Html {
  return html`<h3>Body</h3>
    ${renderFields(schema, schemas)}
    ${examples.map(({ summary, value }) =>
      renderExample(`Example: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`, value),
    )}`;
}

function renderResponse({ status, description, headers, body }: DescribedResponse, schemas: Schemas): Html {
  return html`<div class="response">
    <p class="status"><code class="success">${status}</code> ${renderInline(description)}</p>
    ${body === undefined ? NOTHING : renderFields(body.schema, schemas)}
    ${(body?.examples ?? []).map(({ value }) => renderExample('Example', value))}
    <details>
      <summary>Headers</summary>
      ${renderRows(
        ['Header', 'Description'],
        headers.map((header) => [
          html`<code class="field">${header.name}</code
            >${header.required === true ? NOTHING : html` <span class="optional">not always</span>`}`,
          html`<p>${renderInline(header.description)}</p>
            <p class="example">e.g. <code>${header.example}</code></p>`,
        ]),
        'fields',
      )}
    </details>
  </div>`;
}

/** Renders an example of each error that the operations can return. */
export function renderErrorExamples(operations: readonly DescribedOperation[]): Html {
  const examples = operations
    .flatMap(({ responses }) => responses)
    .filter(({ errorCodes }) => errorCodes.length > 0)
    .flatMap(({ status, body }) =>
      (body?.examples ?? []).map(({ name, value }) => ({ status, name, value })),
    );
  const byCode = new Map(examples.map((example) => [example.name, example]));
  return html`<details>
    <summary>Example of each error</summary>
    ${[...byCode.values()].map(
      ({ status, name, value }) =>
        html`<p class="status"><code class="failure">${status}</code> <code>${name}</code></p>
          ${renderJson(value)}`,
    )}
  </details>`;
}

function renderErrors(responses: readonly DescribedResponse[]): Html {
  const rows = responses.flatMap(({ status, errorCodes }) =>
    errorCodes.filter(isErrorReason).map((code) => {
      const { meaning, action } = ERROR_REASON_CATALOGUE[code];
      return [
        html`<code class="failure">${status}</code>`,
        html`<code>${code}</code>`,
        html`${renderInline(meaning)}`,
        html`${renderInline(action)}`,
      ];
    }),
  );
  return renderRows(['Status', 'Code', 'Meaning', 'What to do'], rows);
}
