import { type IdPrefix, isId } from '@partner/kernel/ids';
import { ServiceError } from '@partner/kernel/service-error';

/**
 * Parses the `cursor` of a list: the id of the previous page's last item. Throws `cursor_invalid` for any other text.
 */
export function pageCursor(prefix: IdPrefix, cursor: string | undefined): string | undefined {
  if (cursor === undefined || isId(prefix, cursor)) return cursor;
  throw new ServiceError('cursor_invalid', 'cursor: must be a nextCursor of this list', {
    details: [{ path: 'cursor', message: 'must be a nextCursor of this list' }],
  });
}
