const TIMEOUT_MS = 30_000;

/** The reader's key, in the memory of this page only. */
let key = '';

for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) {
  const keyField = form.querySelector<HTMLInputElement>('[data-in="key"]');
  keyField?.addEventListener('input', () => (key = keyField.value.trim()));
  form.parentElement?.addEventListener('toggle', () => {
    if (keyField !== null) keyField.value = key;
  });
  let isSending = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    void send(form).finally(() => (isSending = false));
  });
}

/** Sends the form's request without the reader's cookies, and shows the whole response. */
async function send(form: HTMLFormElement): Promise<void> {
  show(form, 'Sending …');
  const startedAt = performance.now();
  try {
    const { url, init } = requestOf(form);
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    const took = Math.round(performance.now() - startedAt);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    show(form, `${response.status} ${response.statusText} after ${took} ms`, {
      headers,
      text: readable(text),
    });
  } catch (error) {
    show(form, `No response: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function requestOf(form: HTMLFormElement): { readonly url: URL; readonly init: RequestInit } {
  const values = (place: string) =>
    [...form.querySelectorAll<HTMLInputElement>(`input[data-in="${place}"]`)].map((field) => ({
      name: field.name,
      value: field.value.trim(),
    }));
  const path = values('path').reduce(
    (filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset['path'] ?? '',
  );
  const url = new URL(path, location.origin);
  for (const { name, value } of values('query')) if (value !== '') url.searchParams.append(name, value);
  const headers = new Headers({ 'x-api-key': key });
  for (const { name, value } of values('header')) {
    if (value !== '') headers.set(name, value);
    else if (name === 'Idempotency-Key') headers.set(name, crypto.randomUUID());
  }
  const body = form.querySelector('textarea');
  if (body !== null) headers.set('content-type', 'application/json');
  return {
    url,
    init: {
      method: form.dataset['method'] ?? 'GET',
      headers,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      ...(body !== null && { body: withRecentTime(body) }),
    },
  };
}

/** Returns the body, with the time of now where the example has a time of today that the reader left unchanged. */
function withRecentTime({ value, defaultValue, dataset }: HTMLTextAreaElement): string {
  const field = dataset['recent'] ?? '';
  const [, example = ''] = new RegExp(`"${field}": "([^"]*)"`).exec(defaultValue) ?? [];
  if (field === '' || example === '') return value;
  return value.replace(`"${field}": "${example}"`, `"${field}": "${new Date().toISOString()}"`);
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(
  form: HTMLFormElement,
  outcome: string,
  received?: { readonly headers: string; readonly text: string },
): void {
  const part = (selector: string) => form.querySelector<HTMLElement>(selector);
  const [line, frame, headers, text] = ['.outcome', '.received', '.headers', '.text'].map(part);
  if (!line || !frame || !headers || !text) return;
  line.textContent = outcome;
  frame.hidden = received === undefined;
  headers.textContent = received?.headers ?? '';
  text.textContent = received?.text ?? '';
}
