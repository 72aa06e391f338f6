import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ALL = fileURLToPath(import.meta.resolve('@mantine/core/styles.layer.css'));
const SHEET = /\/@mantine\/core\/styles\/(?<name>[\w-]+)\.layer\.css$/;
const CLASS_NAMES = /\/@mantine\/core\/esm\/.*\/(?<name>\w+)\.module\.mjs$/;

/**
 * Adds the styles of each Mantine component beside it, so that a page loads only those of its components. A component overrides the
 * styles of those that it consists of. So each has a separate layer, and the page declares the layers in the order of Mantine's
 * complete style sheet, whatever order the pages load them in. Mantine's layers are below the styles of the app.
 */
export function componentStyles(): Plugin {
  const used = new Set<string>();
  return {
    name: 'component styles',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const component = CLASS_NAMES.exec(id)?.groups?.['name'];
      if (component !== undefined) {
        return { code: `import '@mantine/core/styles/${component}.layer.css';\n${code}`, map: null };
      }
      const sheet = SHEET.exec(id)?.groups?.['name'];
      if (sheet === undefined) return undefined;
      used.add(sheet);
      return code.replace('@layer mantine', `@layer mantine.${sheet}`);
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace(
          /<style[^>]*>/,
          (tag) =>
            `${tag}@layer below,${inOrder(used)
              .map((sheet) => `mantine.${sheet}`)
              .join(',')},mantine;`,
        ),
    },
  };
}

/** Those without classes are for every component, and come first. */
function inOrder(sheets: ReadonlySet<string>): readonly string[] {
  const all = readFileSync(ALL, 'utf8');
  const placeOf = (sheet: string) => {
    const file = path.join(path.dirname(ALL), `styles/${sheet}.layer.css`);
    const [first] = /\.m_\w+/.exec(readFileSync(file, 'utf8')) ?? [];
    return first === undefined ? -1 : all.indexOf(first);
  };
  return [...sheets].sort((one, other) => placeOf(one) - placeOf(other));
}
