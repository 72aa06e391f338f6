import { ENTRY_STYLE } from './entry-style.js';

const css = String.raw;

/** Style sheet of the API reference: light or dark by the reader's system setting, one column on a phone. */
export const DOCS_STYLE = [
  css`
    :root {
      color-scheme: light dark;
      --page: light-dark(#ffffff, #12161d);
      --text: light-dark(#1b2330, #e4e9f1);
      --quiet: light-dark(#566173, #a5b0c1);
      --line: light-dark(#d9dee6, #313a47);
      --panel: light-dark(#f4f6f9, #1b212b);
      --mark: light-dark(#ffe58a, #6b5300);
      --mark-text: light-dark(#1b2330, #ffffff);
      --blue: light-dark(#1552b0, #8fbbff);
      --green: light-dark(#1a6b3c, #8fd6a8);
      --brown: light-dark(#8a4b00, #f0c283);
      --red: light-dark(#a3242b, #ff9c9f);
      --atom: light-dark(#96380b, #f3b184);
      --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    }

    * {
      box-sizing: border-box;
    }

    html {
      scroll-padding-top: 5rem;
    }

    body {
      margin: 0;
      background: var(--page);
      color: var(--text);
      font:
        1rem/1.6 system-ui,
        -apple-system,
        'Segoe UI',
        Roboto,
        'Helvetica Neue',
        Arial,
        sans-serif;
    }

    [hidden] {
      display: none !important;
    }

    a {
      color: var(--blue);
      text-underline-offset: 0.15em;
    }

    :focus-visible {
      outline: 3px solid var(--blue);
      outline-offset: 2px;
      border-radius: 2px;
    }

    main:focus {
      outline: none;
    }

    code,
    pre {
      font-family: var(--mono);
      font-size: 0.875em;
    }

    p code,
    li code,
    td code {
      padding: 0.1em 0.3em;
      border-radius: 4px;
      background: var(--panel);
      overflow-wrap: break-word;
    }

    pre {
      margin: 0.75rem 0;
      padding: 0.9rem 1rem;
      border: 1px solid var(--line);
      border-radius: 8px;
      background: var(--panel);
      line-height: 1.5;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }

    pre code {
      font-size: inherit;
    }

    .skip {
      position: absolute;
      left: -100vw;
      top: 0.5rem;
      z-index: 3;
      padding: 0.5rem 1rem;
      background: var(--page);
    }

    .skip:focus {
      left: 0.5rem;
    }

    .bar {
      position: sticky;
      top: 0;
      z-index: 2;
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.5rem 1.5rem;
      padding: 0.6rem 1.5rem;
      border-bottom: 1px solid var(--line);
      background: var(--page);
    }

    .bar p {
      margin: 0;
    }

    .brand {
      font-weight: 600;
    }

    .brand a,
    .anchor,
    nav li a,
    nav .title a {
      color: inherit;
      text-decoration: none;
    }

    .version,
    .search label,
    #search-result,
    .constraints,
    .note {
      color: var(--quiet);
      font-size: 0.875rem;
    }

    .version {
      margin-left: 0.5rem;
      font-weight: 400;
    }

    .search {
      display: flex;
      flex: 1 1 20rem;
      align-items: center;
      gap: 0.6rem;
    }

    /* Its script shows it. The space is there before, so that nothing moves. */
    @media (scripting: enabled) {
      .search[hidden] {
        display: flex !important;
        visibility: hidden;
      }
    }

    .search input {
      flex: 0 1 26rem;
      min-width: 0;
      padding: 0.4rem 0.7rem;
      border: 1px solid var(--quiet);
      border-radius: 6px;
      background: var(--page);
      color: inherit;
      font: inherit;
    }

    .search input::placeholder {
      color: var(--quiet);
      opacity: 1;
    }

    #search-result {
      white-space: nowrap;
    }

    .download {
      font-size: 0.875rem;
    }

    .layout {
      display: grid;
      grid-template-columns: 19rem minmax(0, 1fr);
      max-width: 86rem;
      margin: 0 auto;
    }

    nav {
      position: sticky;
      top: 3.6rem;
      align-self: start;
      max-height: calc(100vh - 3.6rem);
      overflow-y: auto;
      padding: 1.25rem 1rem 2rem 1.5rem;
      font-size: 0.9rem;
    }

    nav summary {
      color: var(--quiet);
      cursor: pointer;
    }

    nav .title {
      margin: 1rem 0 0.25rem;
      font-weight: 600;
    }

    nav ul {
      margin: 0;
      padding: 0;
      list-style: none;
    }

    nav li a,
    nav .title a {
      display: block;
      padding: 0.15rem 0.4rem;
      border-radius: 4px;
      overflow-wrap: anywhere;
    }

    nav a:hover {
      background: var(--panel);
      text-decoration: underline;
    }

    nav .method {
      display: inline-block;
      min-width: 3.6em;
    }

    main {
      min-width: 0;
      max-width: 60rem;
      padding: 1.25rem 2rem 6rem;
    }

    h1,
    h2,
    h3 {
      line-height: 1.25;
    }

    h1 {
      margin: 0.5rem 0 1rem;
      font-size: 2rem;
    }

    h2 {
      margin: 2rem 0 0.5rem;
      font-size: 1.25rem;
    }

    h3 {
      margin: 1.75rem 0 0.4rem;
      font-size: 0.95rem;
      letter-spacing: 0.02em;
    }

    dt {
      font-weight: 600;
    }

    dd {
      margin: 0 0 0.75rem;
    }
  `,
  ENTRY_STYLE,
  css`
    @media (max-width: 60rem) {
      html {
        scroll-padding-top: 7rem;
      }

      .bar {
        justify-content: space-between;
        gap: 0.4rem 1rem;
        padding: 0.5rem 1rem;
      }

      .search {
        flex: 1 1 100%;
        order: 1;
      }

      .layout {
        display: block;
      }

      nav {
        position: static;
        max-height: none;
        padding: 1rem 1rem 0;
      }

      nav details[open] {
        max-height: 60vh;
        overflow-y: auto;
      }

      main {
        padding: 0.5rem 1rem 4rem;
      }
    }

    @media (max-width: 40rem) {
      .version,
      .search label {
        position: absolute;
        clip-path: inset(50%);
      }

      .search input {
        flex: 1 1 8rem;
      }

      table,
      tbody,
      tr,
      td {
        display: block;
      }

      thead {
        position: absolute;
        clip-path: inset(50%);
      }

      tr {
        padding: 0.6rem 0;
        border-bottom: 1px solid var(--line);
      }

      td {
        padding: 0.1rem 0;
        border: 0;
        overflow-wrap: anywhere;
      }

      .plain td::before {
        content: attr(data-title) ': ' / '';
        color: var(--quiet);
        font-size: 0.825rem;
      }

      .optional,
      .place {
        display: inline;
      }
    }
  `,
].join('');
