import ts from 'typescript';

const TEXT_KINDS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.JsxText,
]);

/**
 * Returns the readable texts of a TypeScript source, each on the line where it starts, so that a violation has the source's
 * line. A literal without a space is an identifier.
 */
export function sourceTexts(file: string, source: string): string {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lines = source.split('\n').map(() => '');
  const collect = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (TEXT_KINDS.has(node.kind)) {
      const text = node
        .getText(parsed)
        .replaceAll(/^[`'"}]|[`'"]$|\$\{$/g, '')
        .trim();
      const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line;
      if (/\s/.test(text)) lines[line] = `${lines[line] ?? ''} ${text.replaceAll(/\s+/g, ' ')}`;
    }
    ts.forEachChild(node, collect);
  };
  collect(parsed);
  return lines.join('\n');
}
