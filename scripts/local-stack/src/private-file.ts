import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** Writes JSON atomically to a file that only its owner may read. */
export function writePrivateJson(file: string, content: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads JSON of a shape; undefined if the file is missing or has another shape. */
export function readJson<S extends z.ZodType>(file: string, schema: S): z.infer<S> | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
  const result = schema.safeParse(content);
  return result.success ? result.data : undefined;
}
