import { defineOperation } from '../../api/operation.js';
import { JOB_FEED_EXAMPLE, jobFeedQuery, jobFeedResponse } from './feed-entry.js';

export const listJobFeedOperation = defineOperation({
  id: 'listJobFeed',
  method: 'get',
  path: '/partner/v1/jobs',
  scope: 'jobs:read',
  conditional: true,
  query: jobFeedQuery,
  summary: 'Read the change feed',
  description: `
Reads the changes of your company's jobs, oldest first. Each entry holds the whole job as of that change, so
there is nothing to fetch afterwards.

- **Without a cursor** it is the newest page, not the full history: a point to start from, with \`hasMore\` false.
- **With a cursor** it is the page after it. Keep the last \`nextCursor\` and send it with the next request: immediately while
  \`hasMore\` is true, else at most once a minute. Without new entries, \`resources\` is empty and \`nextCursor\` is the cursor that you sent.
- **First start, or lost cursor:** \`view=snapshot\` pages through all jobs that are assigned to you now, and its last
  \`nextCursor\` continues in the feed, so that no change is missed. \`from=start\` reads the feed from its oldest entry.

A job that is unassigned from your company leaves the feed, and its sequence numbers are not reused. With
\`include=unassigned\` the page then has its id in \`unassigned\`, so that a copy that follows the feed loses the job too: delete
these first, then store \`resources\`. The event \`install.job_unassigned\` notifies you as well. A cursor is bound to your company. One that is no longer valid is 400
\`cursor_invalid\`: start again with a snapshot.`,
  responses: {
    200: { description: 'A page of the feed.', schema: jobFeedResponse, example: JOB_FEED_EXAMPLE },
  },
  errors: ['cursor_invalid'],
});
