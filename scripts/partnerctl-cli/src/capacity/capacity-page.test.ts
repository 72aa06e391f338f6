import { expect, test } from '@jest/globals';
import { readProjectFile } from '@partner/local-stack/project-root';
import { inProcess } from '../testing/in-process.js';

/** Commands of the page with the output that it shows; `…` stands for lines that it leaves out. */
const SHOWN = [
  ...readProjectFile('charts/docs/capacity.md').matchAll(
    /```sh\nscripts\/partnerctl (capacity [^\n]*)\n```\n\n```text\n([^`]*)```/g,
  ),
].map(([, command = '', output = '']) => [command, output] as const);

test('the page shows examples', () => {
  expect(SHOWN).toHaveLength(4);
});

test.each(SHOWN)('the page shows what partnerctl %s prints', async (command, output) => {
  const { run, said } = inProcess();
  await expect(run(command.split(' '))).resolves.toBe(0);
  for (const part of output.split('\n…\n')) expect(said.out).toContain(part.trim());
});
