import { ID, type Known } from './ids.js';

const TIMEOUT_MS = 30_000;

/** The reader's key, in the memory of this page only. */
let key = '';

/** A job in a response. */
const JOB = /"resource":\{"id":"(job_\w+)","version":(\d+),"status":"(\w+)"/g;

/** Ids of the company of a key by kind, and `version` of its job. */
const knownOf = new Map<string, Promise<Known>>();

for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) {
  const keyField = form.querySelector<HTMLInputElement>('[data-in="key"]');
  keyField?.addEventListener('input', () => (key = keyField.value.trim()));
  keyField?.addEventListener('change', () => void fill(form));
  form.parentElement?.addEventListener('toggle', () => {
    if (keyField !== null) keyField.value = key;
    if (form.parentElement?.hasAttribute('open')) void fill(form);
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
  show(form, 'Sending…');
  const startedAt = performance.now();
  try {
    await fill(form);
    const { url, init } = requestOf(form);
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (response.ok) await learn(form, text);
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

/** Replaces the ids of the examples, which are of no company, by those of the key's company. What the reader has changed stays. */
async function fill(form: HTMLFormElement): Promise<void> {
  if (key === '') return;
  const known = await knownFor(form);
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    '[data-in="path"], textarea',
  )) {
    if (field.value !== (field.dataset['filled'] ?? field.defaultValue)) continue;
    field.value = field.defaultValue
      .replace(ID, (id, kind: string) => known.get(kind) ?? id)
      // Both technicians of an example.
      .replace(/("mem_\w+")(?:,\s*\1)+/g, '$1')
      .replace(
        /("expectedVersion": )\d+/,
        (text, name: string) => name + (known.get('version') ?? text.slice(name.length)),
      );
    field.dataset['filled'] = field.value;
  }
}

/** Reads the company's ids once for each key and surface, with at most four requests. */
function knownFor(form: HTMLFormElement): Promise<Known> {
  const base = form.dataset['path']?.startsWith('/inbound/') === true ? '/inbound' : '/partner/v1';
  const place = `${base} ${key}`;
  const known = knownOf.get(place) ?? readKnown(base, () => knownOf.delete(place));
  knownOf.set(place, known);
  return known;
}

async function readKnown(base: string, onMissing: () => void): Promise<Known> {
  const known: Known = new Map();
  const read = async (path: string, body?: object) => {
    const init = { credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(5_000) } as const;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, { ...init, ...sent, headers }).catch(() => undefined);
    // The next form retries.
    if (response === undefined) onMissing();
    const text = response?.ok === true ? await response.text() : '';
    for (const [id, kind = ''] of text.matchAll(ID)) if (!known.has(kind)) known.set(kind, id);
    return text;
  };
  const jobs = await read(base === '/inbound' ? '/jobs?take=1' : '/jobs?view=snapshot&limit=100');
  // The example moves a job to EN_ROUTE.
  const each = [...jobs.matchAll(JOB)].map(([, id = '', version = '', status = '']) => ({
    id,
    version,
    status,
  }));
  const job =
    each.find(({ status }) => status === 'ACKNOWLEDGED') ??
    each.find(({ status }) => status !== 'COMPLETE' && status !== 'CANCELLED') ??
    each[0];
  if (job !== undefined) known.set('job', job.id).set('version', job.version);
  if (base !== '/inbound') await read('/technicians?limit=1');
  const numbers = [...(await read('/events?limit=20')).matchAll(/"sequence":\s*(\d+)/g)].map(([, number]) =>
    Number(number),
  );
  // Events name webhooks that may be deleted. The preview has those that receive events now.
  known.delete('whk');
  if (numbers.length > 0)
    await read('/events/replay/preview', { fromSequence: numbers[0], toSequence: numbers.at(-1) });
  return known;
}

/** Keeps the lead, the replay and the version that a request has returned, for the requests after it. */
async function learn(form: HTMLFormElement, text: string): Promise<void> {
  const known = await knownFor(form);
  for (const [id, kind = ''] of text.matchAll(ID)) if (kind === 'lead' || kind === 'rpl') known.set(kind, id);
  const [[, job, version = ''] = []] = text.matchAll(JOB);
  if (job === known.get('job')) known.set('version', version);
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
