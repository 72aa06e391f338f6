import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { inProcess } from './testing/in-process.js';

const { program } = inProcess();

/** The commands in code spans and shell blocks of the pages, each with its page. */
const COMMANDS = ['.github', 'charts', 'proto-contracts/docs', 'scripts/docs', 'services/docs']
  .flatMap((folder) =>
    readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.join(folder, file)),
  )
  .flatMap((page) =>
    [...readProjectFile(page).matchAll(/\bpartnerctl ([a-z-][^`|#;()\n]*)/g)].map(
      ([, command = '']) => [page, command] as const,
    ),
  );

function optionsOf(command: CommandUnknownOpts): readonly (string | undefined)[] {
  const inherited = command.parent === null ? ['--help'] : optionsOf(command.parent);
  return [...command.options.map(({ long }) => long), ...inherited];
}

/** Returns the first word of a command that names no command or option; undefined if all do. */
function unknownWord(words: readonly string[], command: CommandUnknownOpts = program): string | undefined {
  const [word, ...rest] = words;
  if (word === undefined) return undefined;
  if (word.startsWith('--')) return optionsOf(command).includes(word) ? unknownWord(rest, command) : word;
  if (command.commands.length === 0) return unknownWord(rest, command);
  const child = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
  return child === undefined ? word : unknownWord(rest, child);
}

test.each(COMMANDS)('%s: partnerctl %s has only commands and options that exist', (_page, command) => {
  expect(unknownWord(command.trim().split(/\s+/))).toBeUndefined();
});
