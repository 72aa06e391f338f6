import ts from 'typescript';

const TEXT_KINDS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.JsxText,
]);

const DECLARATIONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.VariableDeclaration,
  ts.SyntaxKind.BindingElement,
  ts.SyntaxKind.Parameter,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
  ts.SyntaxKind.PropertySignature,
  ts.SyntaxKind.MethodSignature,
]);
/** Words that no declared name may have; `scripts/word-list.json` has their replacements. */
const NOT_IN_NAMES = /^(answer(s|ed|ing)?|unanswered|befall(s|en)?|hear(s|d)?|nobody|patience|told)$/;

/**
 * Returns the comments of a TypeScript source, its readable texts, and the words of declared names that no name may have, each on
 * the line where it starts, so that a violation has the source's line. A literal without a space is an identifier. In a test only
 * the titles are texts. Excludes code in comments.
 */
export function sourceTexts(file: string, source: string, isTest: boolean): string {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lines = source.split('\n').map(() => '');
  const add = (position: number, text: string) => {
    const { line } = parsed.getLineAndCharacterOfPosition(position);
    lines[line] = `${lines[line] ?? ''} ${text.replaceAll(/\s+/g, ' ').trim()}`;
  };
  const isTitle = ({ parent }: ts.Node) =>
    ts.isCallExpression(parent) && /^(test|describe)\b/.test(parent.expression.getText(parsed));
  const comments = new Map<number, string>();
  const collect = (node: ts.Node): void => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ])
      comments.set(pos, source.slice(pos, end));
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node) && DECLARATIONS.has(node.parent.kind)) {
      for (const word of node.text.split(/(?=[A-Z][a-z])|_/))
        if (NOT_IN_NAMES.test(word.toLowerCase())) add(node.getStart(parsed), word);
    }
    if (TEXT_KINDS.has(node.kind) && (!isTest || isTitle(node))) {
      const text = node.getText(parsed).replaceAll(/^[`'"}]|[`'"]$|\$\{$/g, '');
      if (/\S\s+\S/.test(text)) add(node.getStart(parsed), text);
    }
    ts.forEachChild(node, collect);
  };
  collect(parsed);
  for (const [position, comment] of comments)
    add(
      position,
      comment
        .replaceAll(/`[^`]*`|\{@link [^}]*\}/g, 'code')
        .replaceAll(/^\s*(\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ''),
    );
  return lines.join('\n');
}
