import { showOwnIds } from './own-ids.js';

/** The parts of code: the names of members, texts, and numbers and literals of JSON. */
const PARTS = [
  ['json-key', /"(?:[^"\\\n]|\\.)*"(?=:)/g],
  ['json-text', /(?<!\w)"(?:[^"\\\n]|\\.)*"(?!:)|'[^'\n]*'/g],
  ['json-atom', /(?<=[:[\s])(?:-?\d[\d.eE+-]*|true|false|null)(?=[,\]\n]|$)/g],
] as const;

const COPIED_MS = 2_000;

// Thousands of blocks at once would delay the page: a section is prepared when it comes near the window.
const observer = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      for (const block of target.querySelectorAll('pre')) prepare(block);
    }
  },
  { rootMargin: '50%' },
);
for (const part of document.querySelectorAll('.entry')) observer.observe(part);

function prepare(block: HTMLPreElement): void {
  const code = block.querySelector('code');
  if (code === null) return;
  // Without a secure context there is no clipboard.
  if (isSecureContext) addCopyButton(block, code);
  // Ranges end where their text is moved.
  color(code);
  void showOwnIds(code);
}

/** Colors code in browsers that support it without changing the DOM. */
function color(code: HTMLElement): void {
  const text = code.firstChild;
  if (!('highlights' in CSS) || text === null) return;
  for (const [name, pattern] of PARTS) {
    const highlight = CSS.highlights.get(name) ?? new Highlight();
    for (const { index, 0: part } of code.textContent.matchAll(pattern)) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + part.length);
      highlight.add(range);
    }
    CSS.highlights.set(name, highlight);
  }
}

function addCopyButton(block: HTMLPreElement, code: HTMLElement): void {
  const frame = document.createElement('div');
  frame.className = 'copied';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(code.textContent).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
    });
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Opens a tab: that of a language in every list that has it, that of a response only here. */
function open(chosen: HTMLElement): void {
  const isLanguage = chosen.closest('[aria-label="Language"]') !== null;
  const lists = isLanguage ? document.querySelectorAll('[aria-label="Language"]') : [chosen.parentElement];
  for (const list of lists) {
    const tabs = [...(list?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
    const opened = tabs.find(({ textContent }) => textContent === chosen.textContent);
    if (opened === undefined) continue;
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === opened);
      tab.tabIndex = tab === opened ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      panel?.toggleAttribute('hidden', tab !== opened);
    }
  }
}

for (const tab of document.querySelectorAll<HTMLElement>('[role="tab"]')) {
  tab.addEventListener('click', () => {
    const { top } = tab.getBoundingClientRect();
    open(tab);
    // Blocks above may have grown.
    scrollBy(0, tab.getBoundingClientRect().top - top);
  });
  tab.addEventListener('keydown', ({ key }) => {
    const other = { ArrowRight: tab.nextElementSibling, ArrowLeft: tab.previousElementSibling }[key];
    if (!(other instanceof HTMLElement)) return;
    other.focus();
    other.click();
  });
}
