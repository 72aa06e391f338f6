import { WEBHOOK_DISPATCHER_RPC } from '@partner/proto-contracts/topology';
import { withTimeLimit } from '@partner/local-stack/time-limit';
import { z } from 'zod';
import { type CommandContext, topCommand } from '../command-context.js';
import { ComponentUnavailableError, endingOf, EXIT_CODES } from '../exit-codes.js';
import { duration } from '../output.js';
import { interrupted } from '../poll-until.js';
import type { Session } from '../session.js';
import { findProblems, inspectServiceQueues, readBacklog, THRESHOLDS } from '../inspect-system.js';
import { counted } from '@partner/proto-contracts/api/counted';

type Finding = {
  readonly check: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice?: string;
};

/** Receivers refuse signatures from 300 s on; leases tolerate far less. */
const CLOCK_WARN_MS = 2_000;
const CLOCK_FAIL_MS = 60_000;
const READY_MS = 3_000;

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

export function doctorCommand(context: CommandContext) {
  return topCommand('doctor', 'check every service and queue, with advice', '', '--json').action(async () => {
    const findings = createFindings(context.signal);
    const session = await findings.check('broker', context.session, () => 'it responds');
    if (session !== undefined) await checkBroker(session, findings);
    await checkServices(context, findings);
    const failed = findings.all.filter(({ verdict }) => verdict === 'fail').length;
    const warned = findings.all.filter(({ verdict }) => verdict === 'warn').length;
    const works = `Everything works. ${counted(warned, 'item needs', 'items need')} attention.`;
    const fails = `${failed} of ${findings.all.length} checks failed.`;
    const summary = failed > 0 ? fails : warned > 0 ? works : 'Everything works.';
    // What is wrong stands first, with what to do.
    const lines = (['fail', 'warn', 'ok'] as const).flatMap((verdict) =>
      findings.all
        .filter((finding) => finding.verdict === verdict)
        .map(
          ({ check, message, advice }) =>
            `${verdict.padEnd(4)}  ${check}: ${message}${advice === undefined ? '' : `\n      ${sentence(advice)}`}`,
        ),
    );
    context.output.words(
      { healthy: failed === 0, findings: findings.all },
      `${summary}\n\n${lines.join('\n')}\n`,
    );
    if (failed > 0) context.setExitCode(EXIT_CODES.failed);
  });
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

type Findings = ReturnType<typeof createFindings>;

function createFindings(signal: AbortSignal) {
  const all: Finding[] = [];
  const add = (check: string, verdict: Finding['verdict'], message: string, advice?: string) =>
    void all.push({ check, verdict, message, ...(advice !== undefined && { advice }) });
  return {
    all,
    add,
    /** Records the result of a check; undefined if it failed. An interruption is not a result: it ends the command. */
    async check<T>(
      check: string,
      inspect: () => Promise<T>,
      describe: (value: T) => string,
      advice?: string,
    ): Promise<T | undefined> {
      try {
        const value = await inspect();
        add(check, 'ok', describe(value));
        return value;
      } catch (error) {
        if (signal.aborted) throw interrupted();
        const finding = error instanceof ComponentUnavailableError ? error.finding : endingOf(error).message;
        add(check, 'fail', finding ?? 'it failed', advice);
        return undefined;
      }
    },
  };
}

async function checkBroker(session: Session, findings: Findings): Promise<void> {
  const queues = await findings.check(
    'queues',
    () => inspectServiceQueues(session),
    (found) => `${found.filter(({ messages }) => messages !== null).length} of ${found.length} are declared`,
  );
  const asked = await findings.check(
    'job-state and Postgres',
    () => readBacklog(session),
    ({ tookMs }) => `they respond, in ${tookMs} ms`,
    'start job-state, or read its log: it responds once Postgres is available and migrated',
  );
  const consumers = queues?.find(({ name }) => name === WEBHOOK_DISPATCHER_RPC.name)?.consumers ?? null;
  await findings.check(
    'webhook-dispatcher',
    () => session.checkEndpoint('no url'),
    () => `it responds${consumers === null ? '' : `; replicas: ${consumers}`}`,
    'start webhook-dispatcher, or read its log',
  );
  if (asked !== undefined) {
    addClock(findings, 'job-state', asked.aheadMs.jobState);
    addClock(findings, 'Postgres', asked.aheadMs.database);
  }
  const problems = findProblems(queues ?? [], asked?.backlog ?? {}, THRESHOLDS);
  for (const { code, message, advice } of problems)
    findings.add(code.replaceAll('_', ' '), WARNINGS.has(code) ? 'warn' : 'fail', message, advice);
  if (problems.length === 0 && asked !== undefined)
    findings.add('backlog', 'ok', 'nothing is late, there are no dead letters');
  const { degradedSubscriptions = 0, failingSubscriptions = 0 } = asked?.backlog ?? {};
  const troubled: string[] = [];
  if (degradedSubscriptions > 0)
    troubled.push(
      `${counted(degradedSubscriptions, 'webhook', 'webhooks')} gave up a delivery and accepted none since`,
    );
  if (failingSubscriptions > 0)
    troubled.push(
      `${counted(failingSubscriptions, 'webhook', 'webhooks')} failed the last five attempts or more`,
    );
  if (troubled.length > 0)
    findings.add(
      'webhooks',
      'warn',
      troubled.join('; '),
      'their owners see the cause in the console; if many fail at once, check our DNS and outgoing connections',
    );
}

function addClock(findings: Findings, whose: string, aheadMs: number): void {
  const off = Math.abs(aheadMs);
  const check = `clock of ${whose}`;
  if (off <= CLOCK_WARN_MS) findings.add(check, 'ok', 'it agrees with this machine');
  else
    findings.add(
      check,
      off > CLOCK_FAIL_MS ? 'fail' : 'warn',
      `it is ${duration(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`,
      'have the machines keep time (NTP): receivers refuse timestamps 300 s away',
    );
}

/** Only a local stack's admin ports are known; elsewhere monitoring covers them. */
async function checkServices(context: CommandContext, findings: Findings): Promise<void> {
  const { stack, isStackLeftOut } = context.broker();
  if (isStackLeftOut)
    findings.add(
      'local stack',
      'ok',
      'it uses another broker, so the readiness of its services is not checked',
    );
  const silent: string[] = [];
  for (const [name, { adminUrl }] of Object.entries(stack?.services ?? {})) {
    const check = `readiness of ${name}`;
    try {
      const { isReady, text } = await readReadiness(adminUrl, context.signal);
      if (isReady) findings.add(check, 'ok', 'it is ready, with all that it depends on');
      else
        findings.add(
          check,
          'fail',
          `it is not ready, or lacks a dependency: ${text.slice(0, 500)}`,
          `check the log of ${name}`,
        );
    } catch {
      if (context.signal.aborted) throw interrupted();
      silent.push(name);
    }
  }
  if (silent.length > 0)
    findings.add(
      'services',
      'fail',
      `cannot connect to ${silent.join(', ')}`,
      'scripts/up starts what has ended; scripts/up --status shows it, and .stack/logs says why',
    );
}

function readReadiness(adminUrl: string, signal: AbortSignal) {
  return withTimeLimit({ milliseconds: READY_MS, signal }, async (end) => {
    const response = await fetch(`${adminUrl}/readyz`, { signal: end });
    const text = (await response.text()).trim();
    return { isReady: response.ok && allAvailable.parse(JSON.parse(text)), text };
  });
}
