import { type IdPrefix, isId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';

/** Parses the `id` of a path. Throws `not_found` for a malformed id, as for an id that is not the caller's. */
export function pathId(prefix: IdPrefix, params: Readonly<Record<string, string>>, what: string): string {
  const { id } = params;
  if (id === undefined || !isId(prefix, id)) throw notFound(what);
  return id;
}
