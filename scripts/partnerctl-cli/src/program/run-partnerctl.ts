import path from 'node:path';
import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { parseConfig } from '@partner/kernel/process/config';
import { isBlank } from '@partner/proto-contracts/values/bounded-text';
import { productionViolations } from '@partner/kernel/process/production-settings';
import { createMailer, hasSender, mailConfig, NO_SENDER } from '@partner/kernel/mail/mail';
import { z } from 'zod';
import {
  DEFAULT_DIRECTORY,
  STACK_DIRECTORY_VARIABLE,
  stackFiles,
} from '@partner/local-stack/stack/stack-state';
import { readJson } from '@partner/local-stack/private-file';
import { paint } from '@partner/local-stack/terminal';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { stackDescription } from '@partner/local-stack/stack/stack-description';
import { chooseBroker } from '../choose-broker.js';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import { type CommandContext, examples, type Surroundings } from '../command-context.js';
import { announcementsCommand } from '../commands/announcements.js';
import { companiesCommand } from '../commands/companies.js';
import { applyCommand, exportCommand, planCommand } from '../commands/configuration.js';
import { conformanceCommand } from '../commands/conformance.js';
import { deadLettersCommand } from '../commands/dead-letters.js';
import { deliveriesCommand } from '../commands/deliveries.js';
import { doctorCommand } from '../commands/doctor.js';
import { eventsCommand } from '../commands/events.js';
import { jobsCommand } from '../commands/jobs.js';
import { keysCommand } from '../commands/keys.js';
import { ownersCommand } from '../commands/owners.js';
import { customersCommand } from '../commands/customers.js';
import { platformCommand } from '../commands/platform.js';
import { restoreCommand } from '../commands/restore.js';
import { statusCommand } from '../commands/status.js';
import { subscriptionsCommand } from '../commands/subscriptions.js';
import { endingOf, EXIT_CODES, OperatorError, wrongUsage } from '../exit-codes.js';
import { createOutput, type Output, printable } from '../output.js';
import { interrupted } from '../poll-until.js';
import { aboutResource, openSession, type Session } from '../session.js';

const EXIT_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 broker or service not available, 5 differences
(plan), 130 interrupted.
--version alone shows the version.
With --json the result is one JSON document on standard output; everything else is on standard error.
`;

const COMMANDS: readonly ((context: CommandContext) => CommandUnknownOpts)[] = [
  companiesCommand,
  ownersCommand,
  keysCommand,
  announcementsCommand,
  subscriptionsCommand,
  planCommand,
  applyCommand,
  exportCommand,
  deliveriesCommand,
  eventsCommand,
  jobsCommand,
  deadLettersCommand,
  customersCommand,
  statusCommand,
  doctorCommand,
  restoreCommand,
  conformanceCommand,
  platformCommand,
];

export function createPartnerctl(surroundings: Surroundings) {
  const { env, write, isTerminal, hasColors, signal } = surroundings;
  const tell = (text: string) => surroundings.tell(printable(text));
  let session: Promise<Session> | undefined;
  let output: Output | undefined;
  let exitCode: number = EXIT_CODES.ok;
  const manifest = readJson(path.join(PROJECT_ROOT, 'package.json'), z.object({ version: z.string() }));

  const program = new Command('partnerctl')
    .description('Operates the partner integration service through the broker.')
    .option('--amqp-url <url>', 'the broker (default: AMQP_URL, else that of the local stack)')
    .addOption(
      new Option('--directory <path>', 'where the local stack keeps its files').default(
        env[STACK_DIRECTORY_VARIABLE] ?? DEFAULT_DIRECTORY,
        STACK_DIRECTORY_VARIABLE + ', else .stack',
      ),
    )
    .option('--operator <name>', 'your name, for the audit trails of companies (default: the login name)')
    .option('--timeout <seconds>', 'timeout for a response', wholeNumber(1, 300), 10)
    .addOption(new Option('--json', 'print the result as one JSON document').conflicts('field'))
    .option('--field <path>', 'print only one value of that document, e.g. company.id')
    .addHelpText(
      'after',
      `${EXIT_HELP}${examples('', ['status', 'companies create --name Peak --class INSTALLER', 'doctor'])}`,
    );

  function broker() {
    const { directory, amqpUrl: option } = program.opts();
    const { description } = stackFiles(path.resolve(PROJECT_ROOT, directory));
    return chooseBroker({ option, variable: env['AMQP_URL'] }, readJson(description, stackDescription));
  }

  function amqpUrl(): string {
    const url = broker().amqpUrl;
    if (url === undefined || url === '')
      throw new OperatorError(
        'unavailable',
        'it is not known where the broker is: give --amqp-url or AMQP_URL, or start a local stack with scripts/up --detach',
      );
    if (!/^amqps?:$/.test(parsedUrl(url)?.protocol ?? ''))
      throw wrongUsage('the address of the broker must begin with amqp:// or amqps://');
    const [violation] = productionViolations(['AMQP_URL'], { ...env, AMQP_URL: url });
    if (violation !== undefined) throw wrongUsage(`the address of the broker ${violation.message}`);
    return url;
  }

  function operatorName(): string {
    const given = program.opts().operator ?? loginName();
    if (isBlank(given) || given.length > 100)
      throw wrongUsage('--operator must be a name of 1 to 100 characters');
    return given;
  }

  function loginName(): string {
    try {
      return surroundings.loginName();
    } catch {
      throw wrongUsage('this login has no name: give yours, with --operator');
    }
  }

  function mailSettings() {
    const { mail } = broker().stack ?? {};
    if (env['SMTP_URL'] === undefined && mail !== undefined)
      return { SMTP_URL: mail.url, MAIL_FROM: mail.from };
    try {
      return parseConfig(z.object(mailConfig).refine(hasSender, NO_SENDER), env);
    } catch (error) {
      throw wrongUsage(error instanceof Error ? error.message : String(error));
    }
  }

  const openOnce = () =>
    (session ??= openSession({
      amqpUrl: amqpUrl(),
      operator: operatorName(),
      timeoutMs: program.opts().timeout * 1_000,
      signal,
    }));

  const context: CommandContext = {
    ...surroundings,
    get output() {
      const { json, field } = program.opts();
      return (output ??= createOutput({ json: json === true, field, isTerminal, hasColors, write }));
    },
    progress: (text) => {
      if (surroundings.isWatched) tell(`${text}\n`);
    },
    tell: (text) => tell(`partnerctl: ${text}\n`),
    session: openOnce,
    call: async (operation, input) => (await openOnce()).call(operation, input),
    about: async (id) => aboutResource(await openOnce(), id),
    mailer: () => createMailer(mailSettings()),
    publicBaseUrl() {
      const url = env['PUBLIC_BASE_URL'] ?? broker().stack?.baseUrl;
      if (url === undefined || parsedUrl(url) === undefined)
        throw wrongUsage('PUBLIC_BASE_URL must say where owners find the console');
      return url;
    },
    broker,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  for (const create of COMMANDS) program.addCommand(create(context));
  configure(program, surroundings);

  return {
    program,
    /** Runs the arguments of `partnerctl` and returns the exit code. Reports failures. Never rejects. */
    async run(args: readonly string[]): Promise<number> {
      try {
        // Not an option of commander, which would show the version in place of running a command.
        if (args.join() === '--version') write(`${manifest?.version ?? 'unknown'}\n`);
        else await program.parseAsync(args, { from: 'user' });
        return exitCode;
      } catch (error) {
        const ending = endingOf(signal.aborted && !(error instanceof OperatorError) ? interrupted() : error);
        if (ending.message !== undefined) tell(`partnerctl: ${ending.message}\n`);
        return ending.exitCode;
      } finally {
        await session?.then((opened) => opened.close()).catch(() => undefined);
      }
    },
  };
}

function configure(
  command: CommandUnknownOpts,
  to: Pick<Surroundings, 'write' | 'tell' | 'hasColors'>,
): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: to.write, writeErr: to.tell, getOutHasColors: () => to.hasColors })
    .configureHelp({ styleTitle: (title) => paint('bold', title, to.hasColors) })
    .showHelpAfterError('(--help shows the usage)')
    .allowExcessArguments(false);
  if (command.parent !== null)
    command.addHelpText('after', '\npartnerctl --help has the options of every command, e.g. --json.');
  for (const child of command.commands) configure(child, to);
}
