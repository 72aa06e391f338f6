import { type IdPrefix, isId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';

/** Returns an id of a path. A malformed one is `not_found`, like one that the company does not have. */
export function pathId(prefix: IdPrefix, id: string, what: string): string {
  if (!isId(prefix, id)) throw notFound(what);
  return id;
}
