import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';

/** Latin-1 and the punctuation that the console and the reference write. Other letters come from the reader's system. */
const LETTERS = `${characters(0x20, 0x7e)}${characters(0xa0, 0xff)}‑–—‘’“”•…→←↑↓−×≤≥`;

/** The files of both fonts, and the range of their weights that the tokens name. */
const FONTS = [
  { name: 'inter', source: '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', max: 600 },
  {
    name: 'geist-mono',
    source: '@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
    max: 500,
  },
];

/** Writes the two fonts of the console to a folder, with only the letters and weights that it uses. */
export async function subsetFonts(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, source, max } of FONTS) {
    const font = readFileSync(fileURLToPath(import.meta.resolve(source)));
    const variationAxes = { wght: { min: 400, max } };
    const subset = await subsetFont(font, LETTERS, { targetFormat: 'woff2', variationAxes });
    writeFileSync(path.join(folder, `${name}.woff2`), subset);
  }
}

function characters(first: number, last: number): string {
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, place) => first + place));
}
