/** A section of the reference: an operation, an event, a schema or a chapter. */
interface Section {
  readonly title: string;
  readonly group: string;
  readonly path: string;
  /** In lower case. */
  readonly text: string;
}

const HITS_SHOWN = 20;

const form = document.querySelector<HTMLFormElement>('#search');
const field = document.querySelector<HTMLInputElement>('#search-text');
const result = document.querySelector<HTMLElement>('#search-result');
const hits = document.querySelector<HTMLElement>('#hits');
let loaded: Promise<readonly Section[]> | undefined;

if (form !== null && field !== null && result !== null && hits !== null) {
  start(form, field, result, hits);
  leadToSection();
}

function start(form: HTMLFormElement, field: HTMLInputElement, result: HTMLElement, hits: HTMLElement): void {
  const links = () => [...hits.querySelectorAll('a')];

  async function update(): Promise<void> {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : matches(await load(), words);
    hits.replaceChildren(...grouped(found.slice(0, HITS_SHOWN)));
    hits.hidden = found.length === 0;
    result.textContent = words.length === 0 ? '' : countOf(found.length);
  }

  field.addEventListener('focus', () => void load());
  field.addEventListener('input', () => void update());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void update().then(() => links()[0]?.click());
  });
  form.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      field.value = '';
      field.focus();
      void update();
    } else if (step !== undefined) {
      event.preventDefault();
      const all = [field, ...links()];
      all[all.findIndex((each) => each === document.activeElement) + step]?.focus();
    }
  });
  addEventListener('keydown', (event) => {
    const isTyping = document.activeElement?.matches('input, textarea') === true;
    const isKey = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isKey || (isTyping && event.key === '/')) return;
    event.preventDefault();
    field.focus();
  });
  // A hit on this page.
  hits.addEventListener('click', () => (hits.hidden = true));
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  if (field.value !== '') void update();
}

async function load(): Promise<readonly Section[]> {
  loaded ??= fetch('/docs/search.json').then((response) => response.json());
  return loaded;
}

/** Returns the sections with all words, first those whose title has most of them, by length. */
function matches(sections: readonly Section[], words: readonly string[]): readonly Section[] {
  const found = sections.filter(({ title, text }) =>
    words.every((word) => text.includes(word) || title.toLowerCase().includes(word)),
  );
  const rank = ({ title }: Section) =>
    words.reduce((sum, word) => sum + (title.toLowerCase().includes(word) ? 0 : word.length), 0);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

function grouped(sections: readonly Section[]): readonly Element[] {
  return [...new Set(sections.map(({ group }) => group))].flatMap((group) => {
    const list = element('ul');
    for (const { title, path } of sections.filter((section) => section.group === group)) {
      const link = element('a', title);
      link.href = path;
      const line = element('li');
      line.append(link);
      list.append(line);
    }
    const title = element('p', group);
    title.className = 'title';
    return [title, list];
  });
}

function element<Name extends 'ul' | 'li' | 'a' | 'p'>(name: Name, text = ''): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function countOf(found: number): string {
  if (found === 0) return 'Nothing found';
  const shown = found > HITS_SHOWN ? `, the first ${HITS_SHOWN} here` : '';
  return found === 1 ? '1 section' : `${found} sections${shown}`;
}

/** Links from the time when the reference was one page lead to the page that has their section now. */
function leadToSection(): void {
  if (location.hash === '' || document.getElementById(location.hash.slice(1)) !== null) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
  const moved = links.find(
    ({ hash, pathname }) => (hash || `#${pathname.split('/').pop()}`) === location.hash,
  );
  if (moved !== undefined) location.replace(moved.href);
}
