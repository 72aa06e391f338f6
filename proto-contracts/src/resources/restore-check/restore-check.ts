import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

/** What a restore has lost of the numbers of a feed or of the events of a company. */
const lostNumbers = z.object({
  /** The last number before the lost ones; 0: none was kept. */
  kept: z.int(),
  /** The highest lost number in a cursor that was refused since; null: none yet. */
  seen: z.int().nullable(),
});

/** A page of what the newest restore from a backup has lost and left to do, visible to operators alone. */
export const restoreCheck = z.object({
  /** Everything committed later is lost. */
  restoredTo: dateTimeOut,
  declaredAt: dateTimeOut,
  companies: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Null: the company has no feed, or exists only since the restore. */
      feed: lostNumbers.nullable(),
      /** Null: the company exists only since the restore. */
      events: lostNumbers.nullable(),
      /** Those with deliveries that the restore concerns. */
      webhooks: z.array(
        z.object({
          id: z.string(),
          /** Deliveries from before the restore that are not finished; receivers may have them already. */
          unfinished: z.int(),
          deadLettered: z.int(),
          /** When the oldest of these was created; null without any. */
          oldest: dateTimeOut.nullable(),
        }),
      ),
    }),
  ),
  hasMore: z.boolean(),
});

export type RestoreCheck = z.infer<typeof restoreCheck>;
