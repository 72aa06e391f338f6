import type { Caller } from '@partner/proto-contracts/call';
import { type AuditPage, auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { testWebhookOperation } from '@partner/proto-contracts/resources/delivery/operations';
import * as webhooks from '@partner/proto-contracts/resources/subscription/operations';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import { readWebhookKeysOperation } from '@partner/proto-contracts/internal/webhooks/read-webhook-keys';
import * as configured from '@partner/proto-contracts/internal/operators/webhooks';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { InternalOperation, Operation } from '@partner/proto-contracts/api/operation';
import * as announcements from '@partner/proto-contracts/internal/operators/announcements';
import * as companies from '@partner/proto-contracts/internal/operators/companies';
import * as owners from '@partner/proto-contracts/internal/operators/owners';
import * as customers from '@partner/proto-contracts/internal/operators/customers';
import * as system from '@partner/proto-contracts/internal/operators/system';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import type { z } from 'zod';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { auditOperations } from '../audit/audit-operations.js';
import { operatorOperations } from '../operator/operator-operations.js';
import {
  type SubscriptionDeps,
  subscriptionOperations,
} from '../webhooks/subscriptions/subscription-operations.js';
import { installerOwner } from './callers.js';
import { type OneResponse, parsedResponse } from './parsed-response.js';
import { TEST_NOW } from './test-jobs.js';

export type PublicAudit = ReturnType<typeof connectAudit>;

export function connectAudit(deps: Parameters<typeof auditOperations>[0]) {
  const operations = inProcessOperations({
    implementations: auditOperations(deps),
    callers: ['owner', 'key'],
  });
  return {
    async listAuditEntries(
      { companyId, after }: { readonly companyId: string; readonly after?: string },
      query: { readonly limit?: string; readonly action?: string } = {},
    ): Promise<AuditPage> {
      const call = { caller: installerOwner(companyId), query, ...(after !== undefined && { after }) };
      const { json } = await operations.call(listAuditEntriesOperation, call);
      return auditPage.parse(JSON.parse(json));
    },
    recordSessionChange: (caller: Caller, input: z.input<typeof recordSessionChangeOperation.input>) =>
      operations.callInternal(recordSessionChangeOperation, input, { caller }),
  };
}

export type PublicSubscriptions = ReturnType<typeof connectSubscriptions>;

/** What every request of the test client names. */
export interface Named {
  readonly companyId: string;
  readonly companyClass?: CompanyClassName;
  readonly subscriptionId?: string;
  readonly actor?: {
    readonly [Part in 'membershipId' | 'displayName' | 'remoteAddress' | 'userAgent']?: string;
  };
}

/** Connects to the operations of webhooks, for an owner. Each response is parsed with its public schema, which must have all its fields. */
export function connectSubscriptions(deps: SubscriptionDeps) {
  const operations = inProcessOperations({
    implementations: subscriptionOperations(deps),
    callers: ['owner', 'operator', 'service'],
  });
  async function call(operation: { readonly id: string }, request: Named & object, options?: CallOptions) {
    const { companyId, companyClass = 'INSTALLER', subscriptionId = '', actor, ...body } = request;
    const caller = { ...installerOwner(companyId), ...actor, companyClass };
    return operations.call(operation, { caller, params: { id: subscriptionId }, body }, options);
  }
  const calling =
    <Query, Body, Param extends string, Id extends string, Sent, Outputs, Output>(
      operation: Operation<Query, Body, Param, Id, Sent, Outputs> & OneResponse<Output>,
    ) =>
    async (request: Named & Partial<NonNullable<Sent>>, options?: CallOptions): Promise<Output> =>
      parsedResponse(operation, await call(operation, request, options));
  return {
    createSubscription: calling(webhooks.createWebhookOperation),
    listSubscriptions: calling(webhooks.listWebhooksOperation),
    getSubscription: calling(webhooks.getWebhookOperation),
    updateSubscription: calling(webhooks.updateWebhookOperation),
    deleteSubscription: async (request: Named, options?: CallOptions) => {
      await call(webhooks.deleteWebhookOperation, request, options);
    },
    sendTestDelivery: calling(testWebhookOperation),
    activateSubscription: calling(webhooks.activateWebhookOperation),
    pauseSubscription: calling(webhooks.pauseWebhookOperation),
    rotateSecret: calling(webhooks.rotateWebhookSecretOperation),
    activateSecret: calling(webhooks.activateWebhookSecretOperation),
    checkUrl: calling(checkUrlOperation),
    readKeys: (subscriptionId: string) =>
      operations.callInternal(readWebhookKeysOperation, { subscriptionId }),
    /** Applies a step of a configuration file, as an operator. */
    configure: (of: Named, step: z.input<typeof configured.configureWebhookOperation.input>) =>
      operations.callInternal(configured.configureWebhookOperation, step, { caller: operatorFor(of) }),
    listWhole: (of: Named) =>
      operations.callInternal(configured.listWholeWebhooksOperation, {}, { caller: operatorFor(of) }),
  };
}

function operatorFor({ companyId, companyClass = 'INSTALLER' }: Named): Caller {
  return { kind: 'operator', name: 'olga', companyId, companyClass };
}

type OperatorDeps = Parameters<typeof operatorOperations>[0];

export type PublicOperators = ReturnType<typeof connectOperators>;

/** Connects to the operations of operators, for the operator `olga`. */
export function connectOperators(deps: Partial<OperatorDeps> & Pick<OperatorDeps, 'database'>) {
  const defaults = {
    clock: () => TEST_NOW,
    logger: silentLogger,
    environment: 'sandbox',
    inFlight: 1,
  } as const;
  const { callInternal } = inProcessOperations({
    implementations: operatorOperations({ ...defaults, ...deps }),
    callers: ['operator'],
  });
  const caller = { kind: 'operator', name: 'olga' } as const;
  const calling =
    <Input, Output>(operation: InternalOperation<Input, Output>) =>
    (input: Input) =>
      callInternal(operation, input, { caller });
  return {
    listCompanies: calling(companies.listCompaniesOperation),
    createCompany: calling(companies.createCompanyOperation),
    updateCompany: calling(companies.updateCompanyOperation),
    findCompany: calling(companies.findCompanyOperation),
    listOwners: calling(owners.listOwnersOperation),
    createOwner: calling(owners.createOwnerOperation),
    updateOwner: calling(owners.updateOwnerOperation),
    resetSecondFactor: calling(owners.resetOwnerSecondFactorOperation),
    unlinkProvider: calling(owners.unlinkOwnerProviderOperation),
    listRecipients: calling(announcements.listAnnouncementRecipientsOperation),
    claimAnnouncement: calling(announcements.claimAnnouncementOperation),
    releaseAnnouncement: calling(announcements.releaseAnnouncementOperation),
    recordAnnouncement: calling(announcements.recordAnnouncementOperation),
    listAnnouncements: calling(announcements.listAnnouncementsOperation),
    checkRestore: calling(system.checkRestoreOperation),
    getBacklog: calling(system.getBacklogOperation),
    findPeople: calling(customers.findPeopleOperation),
    readPersonData: calling(customers.readPersonDataOperation),
    erasePerson: calling(customers.erasePersonOperation),
    readCompanyData: calling(customers.readCompanyDataOperation),
    eraseCompany: calling(customers.eraseCompanyOperation),
    listErasures: calling(customers.listErasuresOperation),
  };
}
