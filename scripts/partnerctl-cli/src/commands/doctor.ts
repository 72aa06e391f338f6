import { Command } from '@commander-js/extra-typings';
import { WEBHOOK_DISPATCHER_RPC } from '@partner/proto-contracts/topology';
import { withTimeLimit } from '@partner/local-stack/time-limit';
import { z } from 'zod';
import { type CommandContext, examples } from '../command-context.js';
import { endingOf, EXIT_CODES } from '../exit-codes.js';
import { columns, renderTable } from '../output.js';
import { interrupted } from '../poll-until.js';
import type { Session } from '../session.js';
import {
  readBacklog,
  findProblems,
  inspectServiceQueues,
  type QueueState,
  seconds,
  THRESHOLDS,
} from '../inspect-system.js';

/** Result of one check. */
interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** Advice; absent if none is needed. */
  readonly advice?: string;
}

/** Receivers refuse signatures from 300 s on; leases tolerate far less. */
const CLOCK_WARN_MS = 2_000;
const CLOCK_FAIL_MS = 60_000;
const READY_MS = 3_000;

/** Body of `/readyz`: whether each dependency is available. */
const allAvailable = z
  .object({ dependencies: z.record(z.string(), z.boolean()) })
  .transform(({ dependencies }) => Object.values(dependencies).every(Boolean));

/** Problems of `status` that are harmless unless they last. */
const WARNINGS = new Set([
  'dead_letters',
  'leases_expired',
  'platform_messages_wait',
  'database_connections',
]);

/** `partnerctl doctor`: checks every reachable component and gives advice. */
export function doctorCommand(context: CommandContext) {
  return new Command('doctor')
    .description('check every service and queue, with advice')
    .addHelpText('after', examples('partnerctl doctor', 'partnerctl doctor --json'))
    .action(async () => {
      const findings: Finding[] = [];
      const session = await found(context, findings, 'broker', async () => {
        const opened = await context.session();
        return { value: opened, message: 'it responds' };
      });
      if (session !== undefined) {
        await lookThroughBroker(context, session, findings);
      }
      await lookAtServices(context, findings);
      const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
      const warned = findings.filter(({ verdict }) => verdict === 'warn').length;
      const summary =
        failed > 0
          ? `${failed} of ${findings.length} checks failed.`
          : warned > 0
            ? `It works; ${warned} things want a look.`
            : 'Everything is well.';
      const advice = findings
        .flatMap(({ check, advice: what }) => (what === undefined ? [] : [`${check}: ${what}`]))
        .join('\n');
      const table = renderTable(
        findings.map((finding) => ({ ...finding })),
        columns('verdict, check, what was found: message'),
      );
      context
        .output()
        .words(
          { healthy: failed === 0, findings: findings.map((finding) => ({ ...finding })) },
          `${table}\n\n${advice === '' ? '' : `${advice}\n\n`}${summary}\n`,
        );
      if (failed > 0) context.setExitCode(EXIT_CODES.failed);
    });
}

/** Records the result of a check; undefined if it failed. An interruption is not a result: it ends the command. */
async function found<T>(
  context: CommandContext,
  findings: Finding[],
  check: string,
  look: () => Promise<{ readonly value: T; readonly message: string }>,
  advice?: string,
): Promise<T | undefined> {
  try {
    const { value, message } = await look();
    findings.push({ check, verdict: 'ok', message });
    return value;
  } catch (error) {
    if (context.signal.aborted) throw interrupted();
    const { message = 'it failed' } = endingOf(error);
    findings.push({ check, verdict: 'fail', message, ...(advice !== undefined && { advice }) });
    return undefined;
  }
}

async function lookThroughBroker(
  context: CommandContext,
  session: Session,
  findings: Finding[],
): Promise<void> {
  const queues = await found(context, findings, 'queues', async () => {
    const value = await inspectServiceQueues(session);
    const declared = value.filter(({ messages }) => messages !== null).length;
    return { value, message: `${declared} of ${value.length} are declared` };
  });
  const asked = await found(
    context,
    findings,
    'job-state and Postgres',
    async () => {
      const value = await readBacklog(session);
      return { value, message: `they respond, in ${value.tookMs} ms` };
    },
    'start job-state, or read its log: it responds once Postgres is available and migrated',
  );
  await found(
    context,
    findings,
    'webhook-dispatcher',
    async () => {
      const { consumers } = queueNamed(queues, WEBHOOK_DISPATCHER_RPC.name);
      const { allowed } = await session.endpoints.checkEndpoint({ url: 'no url' });
      return {
        value: allowed,
        message: `it responds${consumers === null ? '' : `; replicas: ${consumers}`}`,
      };
    },
    'start webhook-dispatcher, or read its log',
  );
  if (asked !== undefined) {
    for (const [whose, aheadMs] of [
      ['job-state', asked.aheadMs.jobState],
      ['Postgres', asked.aheadMs.database],
    ] as const) {
      const off = Math.abs(aheadMs);
      findings.push({
        check: `clock of ${whose}`,
        verdict: off > CLOCK_FAIL_MS ? 'fail' : off > CLOCK_WARN_MS ? 'warn' : 'ok',
        message:
          off > CLOCK_WARN_MS
            ? `it is ${seconds(off / 1_000)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`
            : 'it agrees with this machine',
        ...(off > CLOCK_WARN_MS && {
          advice: 'have the machines keep time (NTP): receivers refuse timestamps 300 s away',
        }),
      });
    }
  }
  const problems = findProblems(queues ?? [], asked?.numbers ?? {}, THRESHOLDS);
  for (const { code, message, advice } of problems) {
    findings.push({
      check: code.replaceAll('_', ' '),
      verdict: WARNINGS.has(code) ? 'warn' : 'fail',
      message,
      advice,
    });
  }
  if (problems.length === 0 && asked !== undefined)
    findings.push({ check: 'backlog', verdict: 'ok', message: 'nothing is late, there are no dead letters' });
  const degraded = asked?.numbers['degradedSubscriptions'] ?? 0;
  const failing = asked?.numbers['failingSubscriptions'] ?? 0;
  const troubled = [
    ...(degraded > 0
      ? [`${degraded} are degraded: a delivery was dead-lettered and none was delivered since`]
      : []),
    ...(failing > 0 ? [`${failing} have a failing endpoint: its last five attempts, or more, failed`] : []),
  ];
  if (troubled.length > 0)
    findings.push({
      check: 'webhooks',
      verdict: 'warn',
      message: troubled.join('; '),
      advice: 'their owners see them in the console; many at once point at our own way out (DNS, egress)',
    });
}

function queueNamed(queues: readonly QueueState[] | undefined, name: string) {
  return queues?.find((queue) => queue.name === name) ?? { consumers: null };
}

/** Only a local stack's admin ports are known; elsewhere monitoring covers them. */
async function lookAtServices(context: CommandContext, findings: Finding[]): Promise<void> {
  if (context.isStackLeftOut())
    findings.push({
      check: 'local stack',
      verdict: 'ok',
      message: 'it uses another broker, so the readiness of its services is not looked at',
    });
  const silent: string[] = [];
  for (const [name, { adminUrl }] of Object.entries(context.stack()?.services ?? {})) {
    try {
      const { isReady, text } = await withTimeLimit(
        { milliseconds: READY_MS, signal: context.signal },
        async (signal) => {
          const response = await fetch(`${adminUrl}/readyz`, { signal });
          const text = (await response.text()).trim();
          return { isReady: response.ok && allAvailable.parse(JSON.parse(text)), text };
        },
      );
      findings.push(
        isReady
          ? {
              check: `readiness of ${name}`,
              verdict: 'ok',
              message: 'it is ready, with all that it depends on',
            }
          : {
              check: `readiness of ${name}`,
              verdict: 'fail',
              message: `it is not ready, or lacks a dependency: ${text.slice(0, 500)}`,
              advice: `look into the log of ${name}`,
            },
      );
    } catch {
      if (context.signal.aborted) throw interrupted();
      silent.push(name);
    }
  }
  if (silent.length > 0)
    findings.push({
      check: 'services',
      verdict: 'fail',
      message: `cannot connect to ${silent.join(', ')}`,
      advice: 'scripts/up starts what has ended; scripts/up --status shows it, and .stack/logs says why',
    });
}
