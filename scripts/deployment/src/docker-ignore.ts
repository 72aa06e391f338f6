/**
 * Reads a `.dockerignore`: says of a path from the root of the build context whether the build gets it. As Docker has it, the
 * last pattern that matches the path or a folder above it decides; unlike in a `.gitignore`, patterns begin at the root, and
 * `!` brings back what is in a folder that is left out.
 */
export function readDockerIgnore(text: string): (file: string) => boolean {
  const patterns = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      bringsBack: line.startsWith('!'),
      matches: expressionOf(line.replace(/^!/, '').replace(/^\/|\/$/g, '')),
    }));
  return (file) => {
    const parts = file.split('/');
    const withFolders = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
    const deciding = patterns.findLast(({ matches }) => withFolders.some((each) => matches.test(each)));
    return deciding?.bringsBack ?? true;
  };
}

/** A pattern as Go's `filepath.Match` reads it, with `**` for any number of folders. Throws for classes of characters. */
function expressionOf(pattern: string): RegExp {
  if (/[[\]\\]/.test(pattern)) throw new Error(`this pattern is not understood here: ${pattern}`);
  const source = pattern
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map(
      (part) =>
        ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' })[part] ??
        part.replaceAll(/[.+^${}()|]/g, String.raw`\$&`),
    )
    .join('');
  return new RegExp(`^${source}$`);
}
