import type {
  ApiDescription,
  DescribedResponse,
  DescribedOperation,
  DescribedParameter,
} from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING, renderEntry } from './html.js';
import { describedErrors } from './markdown-pages.js';
import {
  renderConstraints,
  renderExample,
  renderFields,
  renderJson,
  renderRows,
  renderType,
  type Schemas,
} from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { curlCommand, requestExamples } from './request-examples.js';

/** Renders one operation under an anchor with its id; in the sandbox with a form that sends it. */
export function renderOperation(
  operation: DescribedOperation,
  description: ApiDescription,
  isSandbox: boolean,
): Html {
  const { id, method, path, summary, body, responses } = operation;
  const { schemas } = description;
  const curl = { language: 'curl', code: curlCommand(operation, description) };
  const clients = requestExamples(operation, description);
  const isClient = ({ language }: (typeof clients)[number]) => language.endsWith('(client)');
  const languages = [...clients.filter(isClient), curl, ...clients.filter((each) => !isClient(each))];
  const successes = responses.filter(({ errorCodes }) => errorCodes.length === 0);
  return renderEntry(
    id,
    html`${summary}`,
    html`<div class="columns">
      <div>
        <p class="endpoint">
          <span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
        </p>
        ${renderMarkdown(operation.description)} ${renderParameters(operation.parameters)}
        ${
          body === undefined
            ? NOTHING
            : html`<h3>Body</h3>
                ${renderFields(body.schema, schemas)}`
        }
        <h3>Responses</h3>
        ${successes.map((response) => renderResponse(response, schemas))}
        <h3>Errors</h3>
        ${renderErrors(responses)}
      </div>
      <div class="side">
        ${renderTabs(id, languages)}
        ${(body?.examples ?? []).slice(1).map(({ summary: title, value }) => renderExample(`Body: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, value))}
        ${successes.flatMap(({ status, body: sent }) => (sent?.examples ?? []).map(({ value }) => renderExample(`Response ${status}`, value, true)))}
        ${isSandbox ? renderTryForm(operation) : NOTHING}
      </div>
    </div>`,
  );
}

/** Renders a request as code, in tabs by language. Without a script all of them are visible. */
function renderTabs(
  id: string,
  languages: readonly { readonly language: string; readonly code: string }[],
): Html {
  const names = languages.map(
    ({ language }) => /\((fetch|requests)\)/.exec(language)?.[1] ?? language.replace(/ \(.*/, ''),
  );
  return html`<div class="tabbed">
    <div class="tabs" role="tablist" aria-label="Language">
      ${names.map(
        (name, place) =>
          html`<button
            type="button"
            role="tab"
            id="${id}-tab-${place}"
            aria-controls="${id}-code-${place}"
            aria-selected="${String(place === 0)}"
            tabindex="${place === 0 ? 0 : -1}"
          >
            ${name}
          </button>`,
      )}
    </div>
    ${languages.map(
      ({ language, code }, place) =>
        html`<div
          role="tabpanel"
          id="${id}-code-${place}"
          aria-labelledby="${id}-tab-${place}"
          ${place === 0 ? NOTHING : html`hidden`}
        >
          <p class="language">${language}</p>
          <pre tabindex="0"><code>${code}</code></pre>
        </div>`,
    )}
  </div>`;
}

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

function renderResponse({ status, description, headers, body }: DescribedResponse, schemas: Schemas): Html {
  return html`<div class="response">
    <p class="status"><code class="success">${status}</code> ${renderInline(description)}</p>
    ${body === undefined ? NOTHING : renderFields(body.schema, schemas)}
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
  const rows = describedErrors(responses).map(({ status, code, meaning, action }) => [
    html`<code class="failure">${status}</code>`,
    html`<code>${code}</code>`,
    html`${renderInline(meaning)}`,
    html`${renderInline(action)}`,
  ]);
  return renderRows(['Status', 'Code', 'Meaning', 'What to do'], rows);
}

/**
 * Renders a form that sends the operation with a key of the reader; empty for operations without an API key. The page's script sends
 * it: the page's policy allows no form to.
 */
function renderTryForm({ id, method, path, credentials, parameters, body }: DescribedOperation): Html {
  if (credentials !== 'apiKeyHeader') return NOTHING;
  const [example] = body?.examples ?? [];
  return html`<details class="try">
    <summary>Try it in the sandbox</summary>
    <form data-method="${method}" data-path="${path}" autocomplete="off">
      ${renderInput({
        id: `${id}-try-key`,
        label: html`API key of the sandbox`,
        attributes: html`data-in="key" type="password" autocomplete="off" required
        aria-describedby="${id}-try-note"`,
      })}
      <p class="note" id="${id}-try-note">
        Stays in the memory of this page until you leave it. The page reads ids of your company with it, for
        the fields. The request changes data of the sandbox.
      </p>
      ${parameters.map((parameter) => renderParameterInput(parameter, `${id}-try-${parameter.name}`))}
      ${
        example === undefined
          ? NOTHING
          : html`<p class="control">
              <label for="${id}-try-body">Body</label>
              <textarea
                id="${id}-try-body"
                data-in="body"
                data-recent="${example.recentField ?? ''}"
                rows="${Math.min(JSON.stringify(example.value, null, 2).split('\n').length, 16)}"
                spellcheck="false"
              >
${JSON.stringify(example.value, null, 2)}</textarea>
            </p>`
      }
      <p><button type="submit">Send ${method} request</button></p>
      <p class="outcome" role="status"></p>
      <div class="received" hidden>
        <p class="language">Response headers</p>
        <pre tabindex="0"><code class="headers"></code></pre>
        <p class="language">Response body</p>
        <pre tabindex="0"><code class="text"></code></pre>
      </div>
    </form>
  </details>`;
}

function renderParameterInput(parameter: DescribedParameter, id: string): Html {
  const { name, in: place, required = false, example = '' } = parameter;
  const isIdempotencyKey = name === 'Idempotency-Key';
  const isFilled = place === 'path' || (required && !isIdempotencyKey);
  return renderInput({
    id,
    label: html`<code>${name}</code> <span class="place">in ${place}${required ? '' : ', optional'}</span>`,
    attributes: html`data-in="${place}" name="${name}" value="${isFilled ? example : ''}"
    placeholder="${isIdempotencyKey ? 'a new one for each request' : isFilled ? '' : example}"
    ${isFilled ? html`required` : NOTHING} spellcheck="false"`,
  });
}

function renderInput(input: { readonly id: string; readonly label: Html; readonly attributes: Html }): Html {
  return html`<p class="control">
    <label for="${input.id}">${input.label}</label>
    <input id="${input.id}" ${input.attributes} />
  </p>`;
}
