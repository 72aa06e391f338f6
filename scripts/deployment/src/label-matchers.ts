import { parser } from '@prometheus-io/lezer-promql';

/** Lets every namespace through, and series without one: for a Prometheus that reads a single environment. */
export const ANY_NAMESPACE = 'namespace=~".*"';

/** Lets the namespace through that is chosen in a dashboard. */
export const CHOSEN_NAMESPACE = 'namespace=~"$namespace"';

interface Selector {
  /** Where its first matcher stands, or would stand. */
  readonly at: number;
  readonly hasBraces: boolean;
  readonly matchers: string[];
}

function selectorsIn(expression: string): readonly Selector[] {
  const selectors: Selector[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, from, to, type, node }) => {
      if (type.isError) throw new Error(`not PromQL: ${expression}`);
      if (name === 'VectorSelector') {
        const braces = node.getChild('LabelMatchers');
        selectors.push({
          at: braces === null ? to : braces.from + 1,
          hasBraces: braces !== null,
          matchers: [],
        });
      }
      if (name.endsWith('LabelMatcher')) selectors.at(-1)?.matchers.push(expression.slice(from, to));
    },
  });
  return selectors;
}

/** What each selector of an expression asks of labels, as it is written. Throws for what is not PromQL. */
export function matchersOf(expression: string): readonly (readonly string[])[] {
  return selectorsIn(expression).map(({ matchers }) => matchers);
}

/** The expression with one more matcher in each of its selectors. Throws for what is not PromQL. */
export function withMatcher(expression: string, matcher: string): string {
  return selectorsIn(expression).reduceRight((text, { at, hasBraces, matchers }) => {
    const added = matchers.length > 0 ? `${matcher},` : matcher;
    return text.slice(0, at) + (hasBraces ? added : `{${added}}`) + text.slice(at);
  }, expression);
}
