import type {
  ApiDescription,
  DescribedResponse,
  DescribedOperation,
  DescribedParameter,
} from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';
import { describedErrors } from './markdown-pages.js';
import { renderConstraints, renderFields, renderJson, renderNamed, renderType } from './render-fields.js';
import { renderInline, renderMarkdown } from './render-markdown.js';
import { curlCommand, requestExamples } from './request-examples.js';

/** Renders one operation; in the sandbox with a form that sends it. */
export function renderOperation(
  operation: DescribedOperation,
  description: ApiDescription,
  isSandbox: boolean,
): Html {
  const { id, method, path, body, responses } = operation;
  const { schemas } = description;
  const curl = { language: 'curl', code: curlCommand(operation, description) };
  const clients = requestExamples(operation, description);
  const isClient = ({ language }: (typeof clients)[number]) => language.endsWith('(client)');
  const languages = [...clients.filter(isClient), curl, ...clients.filter((each) => !isClient(each))];
  const successes = responses.filter(({ errorCodes }) => errorCodes.length === 0);
  const [, ...otherBodies] = body?.examples ?? [];
  return html`<div class="columns">
    <div>
      <p><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
      ${renderMarkdown(operation.description)} ${renderParameters(operation.parameters)}
      ${
        body === undefined
          ? NOTHING
          : html`<h3>Body</h3>
              ${renderFields(body.schema, schemas)}`
      }
      <h3>Responses</h3>
      ${successes.map(
        (response) =>
          html`<p><code class="success">${response.status}</code> ${renderInline(response.description)}</p>
            ${response.body === undefined ? NOTHING : renderFields(response.body.schema, schemas)}
            ${renderHeaders(response)}`,
      )}
      <h3>Errors</h3>
      ${renderErrors(responses)}
    </div>
    <div class="side">
      ${renderTabs(`${id}-code`, 'Language', languages.map(codeTab))}
      ${otherBodies.map(
        ({ summary: title, value }) =>
          html`<details>
            <summary>Body: ${title.charAt(0).toLowerCase()}${title.slice(1)}</summary>
            ${renderJson(value)}
          </details>`,
      )}
      ${renderTabs(`${id}-response`, 'Response', responses.flatMap(responseTab))}
      ${isSandbox ? renderTryForm(operation) : NOTHING}
    </div>
  </div>`;
}

interface Tab {
  readonly name: string;
  readonly panel: Html;
}

const codeTab = ({ language, code }: { readonly language: string; readonly code: string }): Tab => ({
  name: /\((fetch|requests)\)/.exec(language)?.[1] ?? language.replace(/ \(.*/, ''),
  panel: html`<p class="only-plain">${language}</p>
    <pre tabindex="0"><code>${code}</code></pre>`,
});

/** The examples of a response: one for each error that has its status. */
function responseTab({ status, body }: DescribedResponse): readonly Tab[] {
  const examples = body?.examples ?? [];
  if (examples.length === 0) return [];
  const panel = html`<p class="only-plain">Response ${status}</p>
    ${examples.map(({ value }) => renderJson(value))}`;
  return [{ name: status, panel }];
}

/** Renders tabs, the first of them open. Without a script all of them are visible. */
function renderTabs(id: string, label: string, tabs: readonly Tab[]): Html {
  if (tabs.length === 0) return NOTHING;
  return html`<div class="tabs" role="tablist" aria-label="${label}">
      ${tabs.map(
        ({ name }, place) =>
          html`<button
            type="button"
            role="tab"
            id="${id}-${place}-tab"
            aria-controls="${id}-${place}"
            aria-selected="${String(place === 0)}"
            tabindex="${place === 0 ? 0 : -1}"
          >
            ${name}
          </button>`,
      )}
    </div>
    ${tabs.map(
      ({ panel }, place) =>
        html`<div
          role="tabpanel"
          id="${id}-${place}"
          aria-labelledby="${id}-${place}-tab"
          ${place === 0 ? NOTHING : html`hidden`}
        >
          ${panel}
        </div>`,
    )}`;
}

export function renderParameters(parameters: readonly DescribedParameter[]): Html {
  return renderNamed(
    parameters.map(({ name, in: place, required, schema, description = '', example }) => ({
      name: html`<code>${name}</code>`,
      facts: html`${renderType(schema)}, in ${place}${required === true ? '' : ', optional'}`,
      description: html`${renderInline(description)} ${renderConstraints(schema)}
      ${example === undefined ? NOTHING : renderSample(example)}`,
    })),
  );
}

function renderHeaders({ headers }: DescribedResponse): Html {
  return html`<details>
    <summary>Headers</summary>
    ${renderNamed(
      headers.map(({ name, required, description, example }) => ({
        name: html`<code>${name}</code>`,
        facts: html`${required === true ? '' : 'not always'}`,
        description: html`${renderInline(description)} ${renderSample(example)}`,
      })),
    )}
  </details>`;
}

const renderSample = (text: string) => html`<small>e.g. <code>${text}</code></small>`;

function renderErrors(responses: readonly DescribedResponse[]): Html {
  return renderNamed(
    describedErrors(responses).map(({ status, code, meaning, action }) => ({
      name: html`<code class="failure">${status}</code> <code>${code}</code>`,
      description: html`${renderInline(meaning)} ${renderInline(action)}`,
    })),
  );
}

/**
 * Renders a form that sends the operation with a key of the reader; empty for operations without an API key. The page's script sends
 * it: the page's policy allows no form to.
 */
function renderTryForm({ method, path, credentials, parameters, body }: DescribedOperation): Html {
  if (credentials !== 'apiKeyHeader') return NOTHING;
  const [example] = body?.examples ?? [];
  return html`<details class="try">
    <summary>Try it in the sandbox</summary>
    <form data-method="${method}" data-path="${path}" autocomplete="off">
      <label>Sandbox API key <input data-in="key" type="password" autocomplete="off" required /></label>
      <small>
        It stays in this page’s memory until you leave. The page uses it to fill in IDs of your company. The
        request changes data in the sandbox.
      </small>
      ${parameters.map(renderParameterInput)}
      ${
        example === undefined
          ? NOTHING
          : html`<label>
              Body
              <textarea data-recent="${example.recentField ?? ''}" rows="8" spellcheck="false">
${JSON.stringify(example.value, null, 2)}</textarea>
            </label>`
      }
      <button class="button primary" type="submit">Send ${method} request</button>
      <p class="outcome" role="status"></p>
      <div class="received" hidden>
        <p>Response headers</p>
        <pre tabindex="0"><code class="headers"></code></pre>
        <p>Response body</p>
        <pre tabindex="0"><code class="text"></code></pre>
      </div>
    </form>
  </details>`;
}

function renderParameterInput({ name, in: place, required, example = '' }: DescribedParameter): Html {
  const isIdempotencyKey = name === 'Idempotency-Key';
  const isFilled = place === 'path' || (required === true && !isIdempotencyKey);
  return html`<label>
    <code>${name}</code> <small>in ${place}${required === true ? '' : ', optional'}</small>
    <input
      data-in="${place}"
      name="${name}"
      value="${isFilled ? example : ''}"
      placeholder="${isIdempotencyKey ? 'a new one for each request' : example}"
      ${isFilled ? html`required` : NOTHING}
      spellcheck="false"
    />
  </label>`;
}
