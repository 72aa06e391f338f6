import type {
  DescribedOperation,
  DescribedParameter,
} from '@partner/proto-contracts/openapi/api-description';
import { type Html, html, NOTHING } from './html.js';

/**
 * Renders a form that sends the operation with a key of the reader; empty for operations without an API key. The page's script sends
 * it: the page's policy allows no form to.
 */
export function renderTryForm({ id, method, path, credentials, parameters, body }: DescribedOperation): Html {
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
