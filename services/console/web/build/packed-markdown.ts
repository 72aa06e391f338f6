/** Keeps the text of links within the repository, which lead nowhere from a package, and links to elsewhere. */
export function withoutRelativeLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, '$1');
}
