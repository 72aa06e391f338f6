/** A section of the page that the search shows or hides. */
interface Entry {
  readonly part: HTMLElement;
  /** In lower case. */
  readonly text: string;
  /** Its line in the contents. */
  readonly line: Element | undefined;
}

const MARKS_AT_MOST = 500;

const form = document.querySelector<HTMLFormElement>('#search');
const field = document.querySelector<HTMLInputElement>('#search-text');
const result = document.querySelector<HTMLElement>('#search-result');
const search = new URLSearchParams(location.search).get('q') ?? '';

if (form !== null && field !== null && result !== null) {
  const completePage = form.dataset['page'] ?? '';
  form.hidden = false;
  focusFieldByKey(field);
  if (completePage === '') startSearch(form, field, result);
  else leadTo(completePage, form, field);
}
openContentsBesideText();

/** The page that has every section searches; so do links from the time when it was the only one. */
function leadTo(completePage: string, form: HTMLFormElement, field: HTMLInputElement): void {
  const addressOf = (text: string) => `${completePage}?q=${encodeURIComponent(text)}`;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (field.value.trim() !== '') location.assign(addressOf(field.value.trim()));
  });
  if (search !== '') location.replace(addressOf(search));
  else if (location.hash !== '' && document.getElementById(location.hash.slice(1)) === null) {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
    const moved = links.find(
      ({ hash, pathname }) => (hash || `#${pathname.split('/').pop()}`) === location.hash,
    );
    if (moved !== undefined) location.replace(moved.href);
  }
}

function focusFieldByKey(field: HTMLInputElement): void {
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || document.activeElement?.matches('input, textarea') === true) return;
    event.preventDefault();
    field.focus();
  });
}

function startSearch(form: HTMLFormElement, field: HTMLInputElement, result: HTMLElement): void {
  const lines = new Map(
    [...document.querySelectorAll('[data-for]')].map((line) => [line.getAttribute('data-for'), line]),
  );
  const entries: Entry[] = [...document.querySelectorAll<HTMLElement>('[data-entry]')].map((part) => ({
    part,
    text: part.textContent.toLowerCase(),
    line: lines.get(part.id),
  }));
  const opened = new Set<HTMLDetailsElement>();

  function update(): void {
    const words = wordsOf(field.value);
    const found = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    const shown = new Set(found);
    for (const entry of entries) {
      const isHidden = !shown.has(entry);
      entry.part.hidden = isHidden;
      entry.line?.toggleAttribute('hidden', isHidden);
    }
    for (const group of document.querySelectorAll<HTMLElement>('[data-group]')) {
      group.hidden = group.querySelector('[data-entry]:not([hidden]), [data-for]:not([hidden])') === null;
    }
    for (const introduction of document.querySelectorAll<HTMLElement>('[data-introduction]')) {
      introduction.hidden = words.length > 0;
    }
    for (const details of opened) details.open = false;
    opened.clear();
    if (words.length > 0) openMatches(found, words, opened);
    highlight(found, words);
    result.textContent = words.length === 0 ? '' : countOf(found.length);
    rememberInAddress(field.value.trim());
  }

  field.value = search;
  if (field.value !== '') update();
  field.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const shown = entries.filter(({ part }) => !part.hidden);
    const best = shown.find(({ line }) => namesAny(line, field.value)) ?? shown[0];
    best?.part.scrollIntoView();
    best?.part.querySelector<HTMLElement>('.anchor')?.focus({ preventScroll: true });
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && document.activeElement === field) {
      field.value = '';
      update();
    }
  });
  // A link may lead to a section that the search has hidden.
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null || target.closest('[hidden]') === null) return;
    field.value = '';
    update();
    target.scrollIntoView();
  });
}

function namesAny(line: Element | undefined, searched: string): boolean {
  const title = line?.textContent.toLowerCase() ?? '';
  return wordsOf(searched).some((word) => title.includes(word));
}

function wordsOf(searched: string): readonly string[] {
  return searched.toLowerCase().split(/\s+/).filter(Boolean);
}

function countOf(found: number): string {
  if (found === 0) return 'nothing found';
  return found === 1 ? 'found in 1 part' : `found in ${found} parts`;
}

function openMatches(
  found: readonly Entry[],
  words: readonly string[],
  opened: Set<HTMLDetailsElement>,
): void {
  for (const { part } of found) {
    for (const details of part.querySelectorAll<HTMLDetailsElement>('details:not([open])')) {
      const text = details.textContent.toLowerCase();
      if (!words.some((word) => text.includes(word))) continue;
      details.open = true;
      opened.add(details);
    }
  }
}

/** Highlights matches in browsers that support it without changing the DOM. */
function highlight(found: readonly Entry[], words: readonly string[]): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('search');
  const ranges = found.flatMap(({ part }) => rangesIn(part, words));
  if (ranges.length > 0) CSS.highlights.set('search', new Highlight(...ranges));
}

function rangesIn(part: HTMLElement, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        if (ranges.length >= MARKS_AT_MOST) return ranges;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** Stores the search in the address, so that it can be shared. */
function rememberInAddress(text: string): void {
  const address = new URL(location.href);
  if (text === '') address.searchParams.delete('q');
  else address.searchParams.set('q', text);
  history.replaceState(null, '', address);
}

function openContentsBesideText(): void {
  const contents = document.querySelector<HTMLDetailsElement>('#contents');
  if (contents !== null && matchMedia('(min-width: 60rem)').matches) contents.open = true;
}
