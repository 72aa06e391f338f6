import path from 'node:path';
import GithubSlugger from 'github-slugger';

export interface Page {
  readonly file: string;
  readonly text: string;
}

/** The folder of the specification and its decisions, which the rules of pages exempt. */
export const SPECIFICATION = 'proto-contracts/spec/';

const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');

function anchorsOf({ text }: Page): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => slugger.slug(heading.replaceAll('`', ''))));
}

function linksOf({ text }: Page): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].flatMap(
    ([, inline, reference]) => inline ?? reference ?? [],
  );
}

function commandsOf({ text }: Page): readonly string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.match(/(?<=^|\$\()(scripts\/\w+|npm run [\w-]+)/gm) ?? []);
}

/**
 * Returns the violations in the project's pages: a link to a missing file or heading, a missing command of the project, a
 * page that does not name its reader below its title (the specification need not), and `npx`. Does not follow links to other hosts.
 */
export function pageViolations(
  pages: readonly Page[],
  {
    exists,
    npmScripts,
  }: { readonly exists: (file: string) => boolean; readonly npmScripts: readonly string[] },
): readonly string[] {
  const anchors = new Map(pages.map((page) => [page.file, anchorsOf(page)]));
  return pages.flatMap((page) => {
    const { file, text } = page;
    const broken = linksOf(page)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [target = '', anchor] = link.split('#');
        const linked = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
        return !exists(linked) || (anchor !== undefined && anchors.get(linked)?.has(anchor) !== true);
      })
      .map((link) => `${file}: ${link} does not exist`);
    const unknown = commandsOf(page)
      .filter((command) =>
        command.startsWith('npm run ')
          ? !npmScripts.includes(command.slice('npm run '.length))
          : !exists(command),
      )
      .map((command) => `${file}: ${command} is not a command of the project`);
    const readers =
      file.startsWith(SPECIFICATION) || /^# .+\n\nFor [a-z]/.test(text)
        ? []
        : [`${file}: name the reader below the title: "For a developer who …"`];
    const fetching = /\bnpx\b/.test(text)
      ? [`${file}: npx downloads what is not installed; print node_modules/.bin/<program>`]
      : [];
    return [...broken, ...unknown, ...readers, ...fetching];
  });
}
