import { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { apiVersion } from '../../values/api-version.js';
import { dateTimeOut } from '../../values/date-time.js';
import { pageLimit } from '../../values/page.js';
import { installerJob, INSTALLER_JOB_EXAMPLE } from '../job/job.js';
import { CURRENT_API_VERSION } from '../../api/versions.js';

/**
 * Visible to `installer-company` keys of the company that the jobs are assigned to. The entries of a job that leaves the
 * company leave its feed; who asks for it gets an entry without the job's data in their place.
 */
export const jobFeedResponse = z
  .object({
    apiVersion,
    resources: z
      .array(
        z
          .object({
            sequence: z
              .int()
              .min(1)
              .meta({
                description:
                  "Place in your company's feed: without gaps, in the order of the changes. In a snapshot the place at which" +
                  ' it began, the same in all its entries.',
                format: 'int64',
              }),
            changedAt: dateTimeOut,
            resource: installerJob,
          })
          .meta({
            id: 'FeedEntry',
            description: 'One change of one job, with the whole job as of that change.',
          }),
      )
      .meta({ description: 'Oldest first.' }),
    unassigned: z
      .array(
        z
          .object({
            sequence: z.int().min(1).meta({
              description: "Place in your company's feed, in the same numbers as the entries.",
              format: 'int64',
            }),
            jobId: z.string().meta({ description: 'The job.' }),
            unassignedAt: dateTimeOut,
          })
          .meta({ id: 'UnassignedJob', description: 'A job that has left your company.' }),
      )
      .optional()
      .meta({
        description:
          'With `include=unassigned` the jobs that have left your company, oldest first: delete them from your copy, then store' +
          ' `resources`. A job that came back is among those.',
      }),
    nextCursor: z.string().nullable().meta({
      description:
        'Send it as `cursor` to continue from here. Keep the last one. Null only when your company has no entry at all.',
    }),
    hasMore: z.boolean().meta({ description: 'True: there is a next page; read it immediately.' }),
  })
  .meta({ id: 'JobFeed', description: 'A page of the change feed, oldest entry first.' });

/**
 * The query of the change feed. `from` and `view` choose where a reader without a cursor starts. With a cursor they are
 * ignored, so that a reader may repeat its first query with each `nextCursor`.
 */
export const jobFeedQuery = z
  .object({
    cursor: z
      .string()
      .max(512)
      .optional()
      .meta({ description: 'The `nextCursor` of an earlier response, unchanged.' }),
    limit: pageLimit(LIMITS.installerPageSize),
    from: z.enum(['start']).optional().meta({
      description: '`start`: begin at the oldest entry. With a cursor, it makes no difference.',
    }),
    view: z
      .enum(['snapshot'])
      .optional()
      .meta({
        description:
          '`snapshot`: page through all jobs that are assigned to you now, and end in the cursor to follow the feed from.' +
          ' With a cursor, it makes no difference. Not together with `from`.',
      }),
    include: z
      .enum(['unassigned'])
      .optional()
      .meta({
        description:
          '`unassigned`: also the jobs that have left your company, in `unassigned`. They count towards `limit`. Send it with' +
          ' every request, and begin with a snapshot.',
      }),
  })
  .superRefine((query, context) => {
    if (query.cursor === undefined && query.from !== undefined && query.view !== undefined) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must not be sent together with view' });
    }
  });

export const JOB_FEED_EXAMPLE = {
  apiVersion: CURRENT_API_VERSION,
  resources: [{ sequence: 4211, changedAt: '2026-08-29T16:40:12.000Z', resource: INSTALLER_JOB_EXAMPLE }],
  nextCursor: 'AQAAAAAAABBzS0m3vQ1xY8hV2bqk7wT9dRfLp4oZ',
  hasMore: false,
} as const satisfies z.infer<typeof jobFeedResponse>;
