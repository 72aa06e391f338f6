import ts from 'typescript';

/**
 * The titles of the tests of a file, each with those of the groups that it stands in: `group > test`. Read from the text, not by
 * running it: a title of `test.each` is its template, and a template literal keeps the source of what it fills in. What is
 * skipped or only planned is no test.
 */
export function readTestTitles(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? declarationIn(node) : undefined;
    if (call === undefined) {
      ts.forEachChild(node, (child) => visit(child, groups));
      return;
    }
    if (call.kind === 'skipped') return;
    const path = [...groups, call.title];
    if (call.kind === 'test') titles.push(path.join(' > '));
    else for (const argument of call.rest) visit(argument, path);
  };
  visit(source, []);
  return titles;
}

type Declaration =
  | { readonly kind: 'group' | 'test'; readonly title: string; readonly rest: readonly ts.Expression[] }
  | { readonly kind: 'skipped' };

/** What a call declares: `describe(…)`, `test(…)`, and either of them with `.each(…)`. */
function declarationIn(call: ts.CallExpression): Declaration | undefined {
  const words = wordsOf(call.expression);
  const [name, ...modifiers] = words;
  if (name !== 'describe' && name !== 'test' && name !== 'it') return undefined;
  if (modifiers.some((modifier) => ['skip', 'todo', 'failing'].includes(modifier)))
    return { kind: 'skipped' };
  // The inner call of `test.each(table)(title, …)` is met as part of the outer one.
  const [title, ...rest] = call.arguments;
  if (title === undefined) return undefined;
  return { kind: name === 'describe' ? 'group' : 'test', title: titleOf(title), rest };
}

/** `['test', 'each']` of `test.each(table)` and of `` test.each`table` ``. */
function wordsOf(expression: ts.Expression): string[] {
  if (ts.isIdentifier(expression)) return [expression.text];
  if (ts.isPropertyAccessExpression(expression)) {
    return [...wordsOf(expression.expression), expression.name.text];
  }
  if (ts.isCallExpression(expression)) return wordsOf(expression.expression);
  if (ts.isTaggedTemplateExpression(expression)) return wordsOf(expression.tag);
  return [];
}

function titleOf(expression: ts.Expression): string {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isTemplateExpression(expression)) return expression.getText().slice(1, -1);
  return expression.getText();
}
