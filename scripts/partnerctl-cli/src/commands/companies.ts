import { Option } from '@commander-js/extra-typings';
import {
  createCompanyOperation,
  listCompaniesOperation,
  updateCompanyOperation,
} from '@partner/proto-contracts/internal/operators/companies';
import { requestTechnicalContactOperation } from '@partner/proto-contracts/internal/access/technical-contact';
import { listApiKeysOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { technicalContactIn } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { listWebhooksOperation } from '@partner/proto-contracts/resources/subscription/operations';
import type { Company } from '@partner/proto-contracts/resources/company/company';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { createTechnicalContactLink } from '@partner/kernel/mail/technical-contact-link';
import { notFound } from '@partner/kernel/process/service-error';
import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, listOf, readPages, topCommand, subcommand } from '../command-context.js';
import { OperatorError, wrongUsage } from '../exit-codes.js';
import { type Column, columns, type Document, renderTable } from '../output.js';
import { addCompanyData } from './company-data.js';
import { KEY_COLUMNS } from './keys.js';
import { OWNER_COLUMNS, readOwners } from './owners.js';
import type { Session } from '../session.js';
import { MailError } from '@partner/kernel/mail/mail';
import { shownSubscription, SUBSCRIPTION_COLUMNS } from './subscriptions.js';

const COMPANY_COLUMNS = columns(
  'id, name, class, active keys: activeKeys, active webhooks: activeWebhooks, created: createdAt',
);

const COMPANY_LINES = columns(`
  id: company.id, name: company.name, class: company.class,
  requests a minute: company.installerRequestsPerMinute, delivery weight: company.deliveryWeight,
  journal goes to: company.accountingCompanyIds, created: company.createdAt,
  active keys: company.activeKeys, active webhooks: company.activeWebhooks,
  technical contact: technicalContact.email, pending contact: technicalContact.pending.email
`);

export function companiesCommand(context: CommandContext) {
  const group = topCommand('companies', 'companies and their limits', 'list --name solar', 'show cmp_01j…');

  subcommand(group, 'list', 'list companies, oldest first', '', '--name peak --json')
    .option('--name <text>', 'only companies whose name contains this text')
    .option('--limit <count>', 'maximum number', wholeNumber(1, 100_000), 100)
    .action(async ({ name, limit }) => {
      const { entries, hasMore } = await readCompanies(context.call, limit, name);
      context.output.rows('companies', entries, COMPANY_COLUMNS, { hasMore });
    });

  subcommand(group, 'show <company>', 'show a company with its owners, keys and webhooks', 'cmp_01j…').action(
    async (companyId) => {
      const session = await context.session();
      const company = await getCompany(session, companyId);
      const of = { companyId, companyClass: company.class };
      const [owners, { keys }, { subscriptions }, technicalContact] = await Promise.all([
        readOwners(context.call, companyId),
        session.callFor(of, listApiKeysOperation, { query: { limit: '100' } }),
        session.callFor(of, listWebhooksOperation),
        readContact(session, company),
      ]);
      const webhooks = subscriptions.map(shownSubscription);
      const section = (title: string, rows: readonly Document[], titles: readonly Column[]) =>
        rows.length === 0 ? `\n${title}: none\n` : `\n${title}\n${renderTable(rows, titles)}\n`;
      context.output.thing(
        { company, technicalContact, owners, keys, subscriptions: webhooks },
        COMPANY_LINES,
        section('owners', owners, OWNER_COLUMNS) +
          section('keys', keys, KEY_COLUMNS) +
          section('subscriptions', webhooks, SUBSCRIPTION_COLUMNS),
      );
    },
  );

  subcommand(
    group,
    'create',
    'register a company; later messages of the platform override it',
    '--name "Peak Installers" --class INSTALLER',
    'COMPANY=$(partnerctl companies create --name Peak --class INSTALLER --field company.id)',
  )
    .requiredOption('--name <name>', 'name, as partners see it')
    .addOption(
      new Option('--class <class>', 'class of the company')
        .choices(companyClass.options)
        .makeOptionMandatory(),
    )
    .option('--id <id>', "the platform's id of the company (default: a new one)")
    .action(async ({ name, class: given, id }) => {
      const company = await context.call(createCompanyOperation, { name, class: given, companyId: id });
      context.output.thing({ company }, COMPANY_LINES);
    });

  subcommand(
    group,
    'update <company>',
    'change a company; other fields stay',
    'cmp_01j… --requests-per-minute 120',
    'cmp_01j… --accounting cmp_01k…',
    'cmp_01j… --accounting none',
    'cmp_01j… --technical-contact developers@peak.example',
  )
    .option('--name <name>', 'name, as partners see it')
    .option(
      '--requests-per-minute <count>',
      'rate limit at the installer API; 0: the default',
      wholeNumber(0, 1_000_000),
    )
    .option(
      '--delivery-weight <weight>',
      'weight in the allocation of delivery slots, 1 to 100',
      wholeNumber(1, 100),
    )
    .option(
      '--accounting <ids>',
      'the accounting companies that receive its journal, separated by commas; or "none"',
      companiesOrNone,
    )
    .option(
      '--technical-contact <email>',
      'mail a confirmation link to this address, which then receives announcements; cannot be combined with other options (SMTP_URL, MAIL_FROM, PUBLIC_BASE_URL)',
      emailAddress,
    )
    .action(
      async (companyId, { name, requestsPerMinute, deliveryWeight, accounting, technicalContact: email }) => {
        const others = [name, requestsPerMinute, deliveryWeight, accounting];
        const hasOthers = others.some((value) => value !== undefined);
        if (!hasOthers && email === undefined)
          throw wrongUsage(
            'say what to change: --name, --requests-per-minute, --delivery-weight, --accounting or --technical-contact',
          );
        // Neither the email nor the other changes can be undone if the other one fails.
        if (hasOthers && email !== undefined)
          throw wrongUsage(
            '--technical-contact takes no other option: change the rest with a separate command',
          );
        const session = await context.session();
        if (email !== undefined) await setTechnicalContact(context, companyId, email);
        const updated = await session.call(updateCompanyOperation, {
          ...{ companyId, name, deliveryWeight },
          installerRequestsPerMinute: requestsPerMinute,
          accountingCompanyIds: accounting,
        });
        context.output.thing(
          { company: updated, technicalContact: await readContact(session, updated) },
          COMPANY_LINES,
        );
      },
    );

  addCompanyData(group, context);
  return group;
}

export function readCompanies(call: Session['call'], limit: number, nameContains?: string) {
  return readPages(limit, async (afterCompanyId, size) => {
    const page = await call(listCompaniesOperation, { limit: size, afterCompanyId, nameContains });
    return { entries: page.companies, next: page.hasMore ? page.companies.at(-1)?.id : undefined };
  });
}

export async function getCompany({ call }: Pick<Session, 'call'>, companyId: string): Promise<Company> {
  const [found] = (await call(listCompaniesOperation, { companyId })).companies;
  if (found === undefined) throw notFound('company');
  return found;
}

export function readContact(
  { callFor }: Pick<Session, 'callFor'>,
  { id, class: companyClass }: Pick<Company, 'id' | 'class'>,
) {
  return callFor({ companyId: id, companyClass }, getTechnicalContactOperation);
}

/** Mails a link to an address, then stores the address as pending: a failed email changes nothing. */
export async function setTechnicalContact(
  context: CommandContext,
  companyId: string,
  email: string,
): Promise<void> {
  const session = await context.session();
  const { name: companyName, class: companyClass } = await getCompany(session, companyId);
  const publicBaseUrl = context.publicBaseUrl();
  const { mail, tokenSha256 } = createTechnicalContactLink({ publicBaseUrl, companyName, email });
  const mailer = context.mailer();
  await mailer?.send(mail).catch((error: unknown) => {
    if (!(error instanceof MailError)) throw error;
    const arrival = error.mayArrive ? '; if the email still arrives, its link does not work' : '';
    throw new OperatorError('unavailable', `${error.message}${arrival}`);
  });
  await session.callInternalFor({ companyId, companyClass }, requestTechnicalContactOperation, {
    email,
    tokenSha256,
  });
  if (mailer === undefined)
    context.tell('SMTP_URL is not set: no email was sent, and the address cannot be confirmed');
}

function emailAddress(text: string): string {
  if (!technicalContactIn.safeParse({ email: text }).success)
    throw new InvalidArgumentError('It must be an email address.');
  return text;
}

function companiesOrNone(text: string): string[] {
  const ids = listOf('ids of accounting companies, or "none"')(text);
  if (!ids.includes('none')) return ids;
  if (ids.length > 1) throw new InvalidArgumentError('It must be "none" alone, or ids without it.');
  return [];
}
