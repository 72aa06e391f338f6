import { expect, test } from '@jest/globals';
import { printedCommands } from './printed-commands.js';

test('the commands of a page are whole: with continued lines, loops and here-documents, in order, also in its text', () => {
  const page = `Run \`scripts/partnerctl doctor\`, or \`partnerctl events show evt_…\`; \`partnerctl\` and \`partnerctl apply\` are names. \`pip install "$URL/a.whl"\`, then \`python -m partner_client listen --forward http://localhost:1/\`.

\`\`\`sh
# a comment
one \\
  --two | # three
  four
for x in a b; do
  five "$x"
done

six <<END
{ "seven": 1 }
END
\`\`\`

\`\`\`json
{}
\`\`\`

1. In a list:

   \`\`\`sh
   eight
   \`\`\`
`;
  expect(printedCommands(page)).toEqual([
    'scripts/partnerctl doctor',
    'partnerctl events show evt_…',
    'pip install "$URL/a.whl"',
    'python -m partner_client listen --forward http://localhost:1/',
    'one \\\n  --two | # three\n  four',
    'for x in a b; do\n  five "$x"\ndone',
    'six <<END\n{ "seven": 1 }\nEND',
    'eight',
  ]);
});
