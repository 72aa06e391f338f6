/** Returns a count with its noun, which agrees: `1 message`, `2 messages`. A noun with an irregular plural gives both. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
