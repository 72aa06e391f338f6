const css = String.raw;

/** Styles of an operation, an event or a resource: its anchor, endpoint, fields, examples, responses, and the form that sends a request. */
export const ENTRY_STYLE = css`
  .entry {
    padding: 2rem 0;
    border-bottom: 1px solid var(--line);
    /* A browser renders the sections near the window alone. */
    content-visibility: auto;
    contain-intrinsic-size: auto 80rem;
  }

  .entry > h2 {
    margin-top: 0;
  }

  .group > h2 {
    margin: 3.5rem 0 0.5rem;
    padding-bottom: 0.3rem;
    border-bottom: 2px solid var(--line);
    font-size: 1.6rem;
  }

  .anchor:hover {
    text-decoration: underline;
  }

  .anchor code {
    font-size: 1em;
    overflow-wrap: anywhere;
  }

  .endpoint {
    margin: 0.25rem 0 1rem;
    overflow-wrap: anywhere;
  }

  .endpoint code {
    background: none;
    font-size: 1rem;
  }

  .method {
    font-family: var(--mono);
    font-size: 0.8em;
    font-weight: 700;
  }

  .method.get,
  .success {
    color: var(--green);
  }

  .method.post {
    color: var(--blue);
  }

  .method.put,
  .method.patch {
    color: var(--brown);
  }

  .method.delete,
  .failure {
    color: var(--red);
  }

  table {
    width: 100%;
    margin: 0.75rem 0;
    border-collapse: collapse;
    font-size: 0.925rem;
  }

  th {
    color: var(--quiet);
    font-size: 0.825rem;
    font-weight: 600;
    text-align: left;
  }

  th,
  td {
    padding: 0.5rem 0.75rem 0.5rem 0;
    border-bottom: 1px solid var(--line);
    vertical-align: top;
  }

  /* Large enough for a finger. */
  td > a {
    display: inline-block;
    padding-block: 0.25rem;
  }
  td p {
    margin: 0 0 0.25rem;
  }

  .fields th:first-child {
    width: 30%;
  }

  .fields th:nth-child(2):not(:last-child) {
    width: 16%;
  }

  .field {
    font-weight: 600;
  }

  .parents {
    color: var(--quiet);
    font-weight: 400;
  }

  .optional,
  .place,
  .example {
    color: var(--quiet);
    font-size: 0.825rem;
  }

  .optional,
  .place {
    display: block;
  }

  .constraints {
    margin: 0.1rem 0;
    padding: 0;
    list-style: none;
  }

  .response {
    margin: 0.5rem 0 1.25rem;
    padding-left: 1rem;
    border-left: 3px solid var(--line);
  }

  .status {
    margin: 0.5rem 0;
  }

  .success,
  .failure {
    font-weight: 700;
  }

  details {
    margin: 0.5rem 0;
  }

  summary {
    color: var(--blue);
    cursor: pointer;
    font-size: 0.9rem;
    padding-block: 0.15rem;
  }

  .language {
    margin: 0.75rem 0 0;
    font-size: 0.9rem;
    font-weight: 600;
  }

  .copied {
    position: relative;
  }

  .copy {
    position: absolute;
    top: 0.4rem;
    right: 0.4rem;
    padding: 0.15rem 0.6rem;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--page);
    color: var(--blue);
    font: inherit;
    font-size: 0.8rem;
    cursor: pointer;
  }

  ::highlight(json-key) {
    color: var(--blue);
  }

  ::highlight(json-text) {
    color: var(--green);
  }

  ::highlight(json-atom) {
    color: var(--atom);
  }

  ::highlight(search) {
    background-color: var(--mark);
    color: var(--mark-text);
  }

  /* The form needs the page's script. */
  @media (scripting: none) {
    .try {
      display: none;
    }
  }

  .try form {
    max-width: 44rem;
    padding: 0.5rem 0;
  }

  .control label {
    display: block;
    font-size: 0.9rem;
  }

  .control input,
  .control textarea {
    width: 100%;
    padding: 0.4rem 0.6rem;
    border: 1px solid var(--quiet);
    border-radius: 6px;
    background: var(--page);
    color: var(--text);
    font: 0.9rem var(--mono);
  }

  .control .place {
    display: inline;
  }

  .try button[type='submit'] {
    padding: 0.45rem 0.9rem;
    border: 1px solid var(--blue);
    border-radius: 6px;
    background: var(--blue);
    color: var(--page);
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }

  .outcome {
    font-weight: 600;
  }

  .received pre {
    max-height: 24rem;
    overflow: auto;
  }
`;
