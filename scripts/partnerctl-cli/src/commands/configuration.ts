import { listCompaniesOperation } from '@partner/proto-contracts/internal/operators/companies';
import {
  configureWebhookOperation,
  listWholeWebhooksOperation,
} from '@partner/proto-contracts/internal/operators/webhooks';
import { configuredOf } from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import { type CommandContext, demandYes, topCommand } from '../command-context.js';
import {
  type Configuration,
  parseConfigurationFile,
  writeConfigurationFile,
} from '../configuration/configuration-file.js';
import {
  type CompanyState,
  type ConfigurationPlan,
  planConfiguration,
  type Step,
} from '../configuration/plan-configuration.js';
import { type Outcomes, renderPlan, stepDocument } from '../configuration/render-plan.js';
import { EXIT_CODES } from '../exit-codes.js';
import { parseJson } from '../output.js';
import { interrupted } from '../poll-until.js';
import type { Session } from '../session.js';
import { getCompany, readCompanies, readContact, setTechnicalContact } from './companies.js';
import { counted } from '@partner/proto-contracts/api/counted';

const FILE = ['-f, --file <file>', 'the YAML file; - is standard input'] as const;
const PRUNE = '--prune';

const SECRETS = `
No one has the secrets of new webhooks, which are paused until then: an owner creates a secret in the console, or you do with
partnerctl subscriptions rotate-secret. It signs at once; then the webhook is tested and activated.
`;

export function planCommand(context: CommandContext) {
  return topCommand(
    'plan',
    'compare the webhooks and technical contacts of companies with a file',
    '-f webhooks.yaml',
    '-f webhooks.yaml --prune --json',
  )
    .requiredOption(...FILE)
    .option(PRUNE, 'also show the deletion of webhooks that the file does not have')
    .action(async ({ file, prune }) => {
      const plan = await makePlan(context, file, prune === true);
      showPlan(context, plan);
      if (plan.steps.length > 0) context.setExitCode(EXIT_CODES.differs);
    });
}

export function applyCommand(context: CommandContext) {
  return topCommand(
    'apply',
    'make the webhooks and technical contacts of companies as a file has them; a repeat changes nothing',
    '-f webhooks.yaml',
    '-f webhooks.yaml --prune --yes',
  )
    .requiredOption(...FILE)
    .option(PRUNE, 'delete webhooks that the file does not have')
    .option('--yes', 'delete them')
    .action(async ({ file, prune, yes }) => {
      const plan = await makePlan(context, file, prune === true);
      const deleted = plan.steps.filter(({ kind }) => kind === 'delete').length;
      if (deleted > 0)
        demandYes(yes, `this deletes ${counted(deleted, 'webhook')} with the unfinished deliveries`);
      const { outcomes, failure } = await applyPlan(context, plan);
      showPlan(context, plan, outcomes);
      if (failure === undefined) return;
      context.tell('stopped; apply again once the cause is fixed, and it continues with the rest');
      throw failure;
    });
}

export function exportCommand(context: CommandContext) {
  return topCommand(
    'export',
    'write the webhooks and technical contacts of companies as a file for plan and apply',
    'cmp_01j… > webhooks.yaml',
    '> webhooks.yaml',
  )
    .argument('[companies...]', 'ids of companies; by default all that have webhooks or a technical contact')
    .action(async (ids) => {
      const session = await context.session();
      const companies =
        ids.length === 0
          ? (await readCompanies(context.call, Infinity)).entries
          : await Promise.all(ids.map((id) => getCompany(session, id)));
      const exported: Configuration = { companies: {} };
      for (const company of companies) {
        const state = await readState(session, company);
        const settings = settingsOf(state);
        if (ids.length > 0 || Object.keys(settings).length > 0) exported.companies[company.id] = settings;
      }
      const titles = Object.fromEntries(companies.map(({ id, name }) => [id, name]));
      context.output.file(
        { companies: parseJson(JSON.stringify(exported.companies)) },
        writeConfigurationFile(exported, titles),
      );
    });
}

function settingsOf({ webhooks, contact }: CompanyState): Configuration['companies'][string] {
  const email = contact.email ?? contact.pending?.email;
  return {
    ...(email !== undefined && { technicalContact: email }),
    ...(webhooks.length > 0 && { webhooks: webhooks.map(configuredOf) }),
  };
}

async function makePlan(context: CommandContext, file: string, prune: boolean): Promise<ConfigurationPlan> {
  const { configuration, refuse } = parseConfigurationFile(file, await context.read(file));
  const session = await context.session();
  const states = new Map<string, CompanyState>();
  for (const companyId of Object.keys(configuration.companies)) {
    const page = await session.call(listCompaniesOperation, { companyId });
    for (const company of page.companies) states.set(companyId, await readState(session, company));
  }
  const plan = planConfiguration(configuration, states, { prune });
  return plan.violations.length > 0 ? refuse(plan.violations) : plan;
}

/**
 * Applies the steps of a plan in their order and stops at the first failure, or when the signal aborts (decision CONFIG-4). A plan that is made
 * afterwards has the rest. Never rejects.
 */
async function applyPlan(
  context: CommandContext,
  { steps }: ConfigurationPlan,
): Promise<{ readonly outcomes: Outcomes; readonly failure: Error | undefined }> {
  const outcomes = new Map<Step, ReturnType<Outcomes['get']> & object>();
  let failure: Error | undefined;
  for (const step of steps) {
    if (step.kind === 'unlisted') continue;
    if (context.signal.aborted) failure ??= interrupted();
    if (failure !== undefined) {
      outcomes.set(step, { outcome: 'not done' });
      continue;
    }
    try {
      outcomes.set(step, { outcome: 'done', ...(await applyStep(context, step)) });
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      outcomes.set(step, { outcome: 'failed' });
    }
  }
  return { outcomes, failure };
}

async function applyStep(
  context: CommandContext,
  step: Exclude<Step, { readonly kind: 'unlisted' }>,
): Promise<{ readonly id?: string }> {
  const { callInternalFor } = await context.session();
  const of = { companyId: step.company.id, companyClass: step.company.class };
  switch (step.kind) {
    case 'create': {
      const { kind, wanted } = step;
      return callInternalFor(of, configureWebhookOperation, { kind, webhook: wanted });
    }
    case 'change':
    case 'delete': {
      const { kind, webhook } = step;
      const { id, updatedAt } = webhook;
      const made = kind === 'change' ? { kind, change: step.change } : { kind };
      await callInternalFor(of, configureWebhookOperation, { id, updatedAt, ...made });
      return {};
    }
    case 'contact':
      await setTechnicalContact(context, of.companyId, step.email);
      return {};
  }
}

async function readState(session: Session, company: CompanyState['company']): Promise<CompanyState> {
  const of = { companyId: company.id, companyClass: company.class };
  const [{ subscriptions: webhooks }, contact] = await Promise.all([
    session.callInternalFor(of, listWholeWebhooksOperation, {}),
    readContact(session, company),
  ]);
  return { company, webhooks, contact };
}

function showPlan(context: CommandContext, plan: ConfigurationPlan, outcomes: Outcomes = new Map()): void {
  const steps = plan.steps.map((step) => ({ ...stepDocument(step), ...outcomes.get(step) }));
  const isCreated = plan.steps.some(
    (step) => step.kind === 'create' && outcomes.get(step)?.outcome === 'done',
  );
  const text = renderPlan(plan, outcomes);
  context.output.words({ steps, unchanged: plan.unchanged }, isCreated ? `${text}${SECRETS}` : text);
}
