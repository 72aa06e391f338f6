import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

const LIST = z.array(z.tuple([z.string(), z.string()]));

const words = LIST.parse(
  JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'scripts/word-list.json'), 'utf8')),
).map(([word, better]) => ({ pattern: new RegExp(`(?<![\\w./-])(?:${word})(?![\\w-])`, 'gi'), better }));

/** Returns the words of a text that `scripts/word-list.json` replaces, each with its line. */
export function wordViolations(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    words.flatMap(({ pattern, better }) =>
      Array.from(line.matchAll(pattern), ([found]) => {
        return `${file}:${index + 1}: "${found}": write "${found.replace(pattern, better)}"`;
      }),
    ),
  );
}

/** Returns a Markdown page without code, quotations and the addresses of links, line by line. */
export function proseOf(page: string): string {
  const blank = (part: string) => part.replaceAll(/[^\n]/g, ' ');
  return page
    .replaceAll(/^ *(```+)[^]*?^ *\1 *$/gm, blank)
    .replaceAll(/^ *>.*$/gm, blank)
    .replaceAll(/(`+)[^`]+?\1(?!`)|\]\([^)\n]*\)|<!--[^]*?-->/g, blank);
}
