import { ID } from './ids.js';

interface Own {
  readonly company?: string;
  readonly ids?: Readonly<Record<string, string>>;
}

/** The ids of the company that is signed in; none without a session, or if the console does not respond. */
const own: Promise<Own> = fetch('/docs/ids.json')
  .then((response): Own | Promise<Own> => (response.ok ? response.json() : {}))
  .catch(() => ({}));

void own.then(({ company, ids = {} }) => {
  if (company === undefined || Object.keys(ids).length === 0) return;
  const line = document.createElement('p');
  line.className = 'own';
  line.title = line.textContent = `Examples use IDs of ${company}`;
  document.querySelector('#search-result')?.after(line);
});

/** Replaces the ids of an example by those of the company. Ids are equally long: nothing moves, and colors stay. */
export async function showOwnIds(code: HTMLElement): Promise<void> {
  const { ids = {} } = await own;
  const text = code.firstChild;
  if (!(text instanceof Text)) return;
  const replaced = new Map<string, string>();
  for (const { index, 0: example, 1: kind = '' } of text.data.matchAll(ID)) {
    const id = ids[kind];
    // A second one of a kind is another one.
    if (id === undefined || (replaced.get(kind) ?? example) !== example) continue;
    replaced.set(kind, example);
    text.replaceData(index, example.length, id);
  }
}
