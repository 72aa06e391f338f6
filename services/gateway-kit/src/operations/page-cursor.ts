import { type IdPrefix, instantOfId, isId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { cursorInvalid, type CursorSigner, POSITION } from './cursor-signer.js';

export interface PageCursorDeps {
  readonly cursorSigner: CursorSigner;
  readonly clock: () => Date;
}

const DAY_MS = 24 * 3_600_000;
// A quotation mark inside of a text is escaped, so this is the field of the page.
const NEXT_ID = /"nextCursor":"([a-z]+_[0-9a-z]{26})"/;

/**
 * Creates the cursors of a list whose ids have a prefix: a byte for the kind, and the name of the list and the id, signed.
 *
 * A cursor of 0.1.0 is the id itself. One that was created after tomorrow was not handed out.
 */
export function pageCursors(
  { cursorSigner, clock }: PageCursorDeps,
  {
    list,
    prefix,
    companyId,
  }: { readonly list: string; readonly prefix: IdPrefix; readonly companyId: string },
) {
  const head = Buffer.from(`${String.fromCharCode(POSITION.page)}${list}\n`);
  return {
    /** Returns the id in a cursor. Throws `cursor_invalid` unless the cursor is of this list and company. */
    idOf(cursor: string | undefined): string | undefined {
      if (cursor === undefined) return undefined;
      const created = instantOfId(prefix, cursor);
      if (created !== undefined && created.getTime() <= clock().getTime() + DAY_MS) return cursor;
      const position = cursorSigner.open(companyId, cursor);
      const id = position.subarray(head.length).toString();
      if (!position.subarray(0, head.length).equals(head) || !isId(prefix, id)) throw cursorInvalid();
      return id;
    },
    /** Returns a page of job-state with a cursor instead of the id at `nextCursor`. */
    pageOf(resourceJson: string | undefined): string {
      invariant(resourceJson, 'a page has a text');
      return resourceJson.replace(NEXT_ID, (_field, id: string) => {
        const cursor = cursorSigner.sign(companyId, Buffer.concat([head, Buffer.from(id)]));
        return `"nextCursor":"${cursor}"`;
      });
    },
  };
}
