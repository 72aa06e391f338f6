import path from 'node:path';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { planCapacity } from '../capacity/plan-capacity.js';
import { readFigures } from '../capacity/read-figures.js';
import { renderCosts, renderPlan } from '../capacity/render-capacity.js';
import { type CommandContext, topCommand } from '../command-context.js';

const FIGURES = path.join(PROJECT_ROOT, 'scripts/partnerctl-cli/src/capacity/figures');
const count = wholeNumber(0);

/** `partnerctl capacity`: what a load needs, and what gives way first. Connects to nothing. */
export function capacityCommand(context: CommandContext) {
  return topCommand(
    'capacity',
    'calculate replicas, servers and disks for a load, and what gives way first',
    '--events-per-day 1000000 --leads-per-day 50000 --installers 500',
    '--events-per-day 20000000 --postgres-cores 32 --postgres-disk-tb 64 --json',
    '--events-per-day 1000000 --costs',
  )
    .requiredOption('--events-per-day <n>', 'changes of jobs by installer companies', wholeNumber(1))
    .option(
      '--platform-events-per-day <n>',
      'events of the platform without a change of a job, e.g. quotes',
      count,
      0,
    )
    .option('--leads-per-day <n>', 'new leads', count, 0)
    .option('--installers <n>', 'companies that poll the feed', count, 100)
    .option('--polls-per-minute <n>', 'polls of each of them', wholeNumber(0, 1_000), 1)
    .option('--subscriptions <n>', 'webhooks that get each event', wholeNumber(0, 1_000), 1)
    .option('--failure-percent <n>', 'attempts that fail', wholeNumber(0, 100), 2)
    .option('--events-per-job <n>', 'events of a job in its life', wholeNumber(1, 10_000), 10)
    .option('--peak-factor <n>', 'load of the peak hour to that of the mean hour', wholeNumber(1, 24), 4)
    .option(
      '--busy-percent <n>',
      'how busy processors and disks may be at the peak, by the figures',
      wholeNumber(10, 100),
      40,
    )
    .option(
      '--retention-days <n>',
      'RETENTION_DELIVERIES_DAYS of job-state',
      wholeNumber(7, 400),
      STANDARD_RETENTION.deliveriesDays,
    )
    .option(
      '--feed-retention-days <n>',
      'RETENTION_FEED_DAYS of job-state',
      wholeNumber(30, 1_500),
      STANDARD_RETENTION.feedDays,
    )
    .option('--archive-days <n>', 'how long the archive of the WAL is kept', wholeNumber(0, 400), 7)
    .option('--years <n>', 'age of the data that have no retention', wholeNumber(1, 30), 3)
    .option('--postgres-cores <n>', 'processors of Postgres', wholeNumber(1, 1_024), 8)
    .option('--postgres-connections <n>', 'max_connections of Postgres', wholeNumber(35, 10_000), 100)
    .option('--postgres-iops <n>', 'writes a second that the disks of Postgres carry', wholeNumber(1), 3_000)
    .option('--postgres-disk-tb <n>', 'largest disk of Postgres, in terabytes', wholeNumber(1, 1_000), 16)
    .option('--rabbitmq-cores <n>', 'processors of a node of RabbitMQ', wholeNumber(1, 1_024), 4)
    .option('--figures <folder>', 'folder with figures of your machines (default: those of the project)')
    .option('--costs', 'also print what each request and delivery costs')
    .action(({ figures: folder, costs, ...question }) => {
      const figures = readFigures(folder ?? FIGURES);
      const plan = planCapacity(question, figures);
      const each = Object.entries(figures.costs).map(([kind, cost]) => [kind, { ...cost }] as const);
      const document = { question, ...plan, ...(costs === true && { costs: Object.fromEntries(each) }) };
      context.output.words(document, renderPlan(plan) + (costs === true ? `\n${renderCosts(figures)}` : ''));
    });
}
