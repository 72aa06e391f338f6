import { z } from 'zod';

/** A change of a document as JSON Patch (RFC 6902) writes it. */
export interface Patch {
  readonly op: 'add' | 'replace';
  /** A JSON pointer. */
  readonly path: string;
  readonly value?: unknown;
}

const record = z.record(z.string(), z.unknown());

/** The document with the changes; itself it stays as it is. Throws when a pointer leads nowhere. */
export function applyPatches(document: unknown, patches: readonly Patch[]): unknown {
  return patches.reduce<unknown>((changed, { op, path, value }) => {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    return changeAt(changed, keys, op, value, path);
  }, document);
}

function changeAt(
  document: unknown,
  [key = '', ...rest]: readonly string[],
  op: Patch['op'],
  value: unknown,
  path: string,
): unknown {
  const members: Record<string, unknown> = Array.isArray(document)
    ? Object.fromEntries(document.map((member: unknown, at) => [String(at), member]))
    : record.parse(document);
  if (!(key in members) && (rest.length > 0 || op === 'replace'))
    throw new Error(`there is nothing at ${path}`);
  const changed = {
    ...members,
    [key]: rest.length === 0 ? value : changeAt(members[key], rest, op, value, path),
  };
  return Array.isArray(document) ? Object.values(changed) : changed;
}
