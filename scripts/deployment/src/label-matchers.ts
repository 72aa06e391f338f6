import { parser } from '@prometheus-io/lezer-promql';

/** Matches every namespace, and series without one: for a Prometheus of a single environment. */
export const ANY_NAMESPACE = 'namespace=~".*"';

/** Matches the namespace that is selected in a dashboard. */
export const CHOSEN_NAMESPACE = 'namespace=~"$namespace"';

interface Selector {
  /** The position of its first matcher, or for one. */
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

/** Returns the matchers of each selector of an expression, as text. Throws if it is not PromQL. */
export function matchersOf(expression: string): readonly (readonly string[])[] {
  return selectorsIn(expression).map(({ matchers }) => matchers);
}

/** Returns the expression with one more matcher in each of its selectors. Throws if it is not PromQL. */
export function withMatcher(expression: string, matcher: string): string {
  return selectorsIn(expression).reduceRight((text, { at, hasBraces, matchers }) => {
    const added = matchers.length > 0 ? `${matcher},` : matcher;
    return text.slice(0, at) + (hasBraces ? added : `{${added}}`) + text.slice(at);
  }, expression);
}
