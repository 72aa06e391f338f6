const MOST = 80;

/**
 * A rule for the linter: no function has more than 80 lines without those of nested functions. The first and the last line of a
 * nested one count for both.
 */
const own = {
  create(context) {
    let nestedLines = 0;
    const outside = [];
    const enter = () => {
      outside.push(nestedLines);
      nestedLines = 0;
    };
    const leave = (node) => {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      const ownLines = lines - nestedLines;
      if (ownLines > MOST)
        context.report({
          node,
          message: `This function has ${ownLines} own lines; at most ${MOST} are allowed.`,
        });
      nestedLines = Number(outside.pop()) + Math.max(0, lines - 2);
    };
    return {
      FunctionDeclaration: enter,
      'FunctionDeclaration:exit': leave,
      FunctionExpression: enter,
      'FunctionExpression:exit': leave,
      ArrowFunctionExpression: enter,
      'ArrowFunctionExpression:exit': leave,
    };
  },
};

export default { meta: { name: 'lines' }, rules: { own } };
