const css = String.raw;

/** Styles of the form that sends a request. */
export const TRY_STYLE = css`
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

  .note {
    color: var(--quiet);
    font-size: 0.875rem;
  }

  .try button[type='submit'] {
    padding: 0.45rem 0.9rem;
    border: 1px solid var(--link);
    border-radius: 6px;
    background: var(--link);
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
