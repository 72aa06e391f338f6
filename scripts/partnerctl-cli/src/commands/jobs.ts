import { getOperatorJobOperation } from '@partner/proto-contracts/internal/operators/system';
import { type CommandContext, subcommand, topCommand } from '../command-context.js';
import { columns, renderTable } from '../output.js';

const JOB_LINES = columns(`
  id: job.id, version: job.version, status: job.status, blocker: job.blockerCode, sold by: job.sellingCompanyId,
  installer: job.installerCompanyId, assigned: job.assignedAt, schedule: job.schedule.status, starts: job.schedule.startsAt,
  ends: job.schedule.endsAt, technicians: job.technicianIds, created: job.createdAt, updated: job.updatedAt
`);

const HISTORY_COLUMNS = columns(
  'version, from: previousStatus, to: status, blocker: blockerCode, happened: occurredAt, recorded: recordedAt',
);

export function jobsCommand(context: CommandContext) {
  const group = topCommand('jobs', 'the state of jobs, without personal data', 'show job_01j…');
  subcommand(group, 'show <job>', 'show the state of a job and its newest statuses', 'job_01j…').action(
    async (jobId) => {
      const job = await context.call(getOperatorJobOperation, { jobId });
      context.output.thing({ job }, JOB_LINES, `\n${renderTable(job.history, HISTORY_COLUMNS)}`);
    },
  );
  return group;
}
