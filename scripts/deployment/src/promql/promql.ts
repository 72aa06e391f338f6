import { parser } from '@prometheus-io/lezer-promql';

/** Matches every namespace, and series without one: for a Prometheus of a single environment. */
export const ANY_NAMESPACE = 'namespace=~".*"';

export const CHOSEN_NAMESPACE = 'namespace=~"$namespace"';

interface Selector {
  readonly metric: string;
  readonly labels: string[];
  readonly at: number;
  readonly hasBraces: boolean;
}

/** Returns the selectors of an expression, and the labels that group or join results. Throws if it is not PromQL. */
export function parsePromql(expression: string) {
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, from, to, type, node }) => {
      if (type.isError) throw new Error(`not PromQL: ${expression}`);
      if (name === 'VectorSelector') {
        const braces = node.getChild('LabelMatchers');
        const { from: start, to: end } = node.getChild('Identifier') ?? { from: 0, to: 0 };
        selectors.push({
          metric: expression.slice(start, end),
          labels: [],
          at: braces === null ? to : braces.from + 1,
          hasBraces: braces !== null,
        });
      }
      if (name === 'LabelName') {
        const labels = node.parent?.name === 'GroupingLabels' ? groupings : selectors.at(-1)?.labels;
        labels?.push(expression.slice(from, to));
      }
    },
  });
  return { selectors, groupings };
}

/** Returns the expression with one more matcher in each of its selectors. Throws if it is not PromQL. */
export function withMatcher(expression: string, matcher: string): string {
  return parsePromql(expression).selectors.reduceRight((text, { at, hasBraces, labels }) => {
    const added = labels.length > 0 ? `${matcher},` : matcher;
    return text.slice(0, at) + (hasBraces ? added : `{${added}}`) + text.slice(at);
  }, expression);
}
