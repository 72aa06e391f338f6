import type { Caller } from '@partner/proto-contracts/call';
import { expect } from '@jest/globals';
import { type AuditPage, auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { testWebhookOperation } from '@partner/proto-contracts/resources/delivery/operations';
import {
  activateWebhookOperation,
  activateWebhookSecretOperation,
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listWebhooksOperation,
  pauseWebhookOperation,
  rotateWebhookSecretOperation,
  updateWebhookOperation,
} from '@partner/proto-contracts/resources/subscription/operations';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import { urlCheck } from '@partner/proto-contracts/resources/url-check/url-check';
import { readWebhookKeysOperation } from '@partner/proto-contracts/internal/webhooks/read-webhook-keys';
import {
  configureWebhookOperation,
  listWholeWebhooksOperation,
} from '@partner/proto-contracts/internal/operators/webhooks';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import {
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { InternalOperation, Operation } from '@partner/proto-contracts/api/operation';
import {
  claimAnnouncementOperation,
  listAnnouncementRecipientsOperation,
  listAnnouncementsOperation,
  recordAnnouncementOperation,
  releaseAnnouncementOperation,
} from '@partner/proto-contracts/internal/operators/announcements';
import {
  createCompanyOperation,
  findCompanyOperation,
  listCompaniesOperation,
  updateCompanyOperation,
} from '@partner/proto-contracts/internal/operators/companies';
import {
  createOwnerOperation,
  listOwnersOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  updateOwnerOperation,
} from '@partner/proto-contracts/internal/operators/owners';
import {
  eraseCompanyOperation,
  erasePersonOperation,
  findPeopleOperation,
  listErasuresOperation,
  readCompanyDataOperation,
  readPersonDataOperation,
} from '@partner/proto-contracts/internal/operators/customers';
import {
  checkRestoreOperation,
  getBacklogOperation,
} from '@partner/proto-contracts/internal/operators/system';
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
import { TEST_NOW } from './test-jobs.js';

export type PublicAudit = ReturnType<typeof connectAudit>;

/** Connects to the operations of the audit trail, for an owner. Pages are parsed as public resources. */
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
  /** Absent: INSTALLER. */
  readonly companyClass?: CompanyClassName;
  readonly subscriptionId?: string;
  /** Parts of the owner who asks. */
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
      operation: Operation<Query, Body, Param, Id, Sent, Outputs>,
      output: z.ZodType<Output>,
    ) =>
    async (request: Named & Partial<NonNullable<Sent>>, options?: CallOptions): Promise<Output> => {
      const { json } = await call(operation, request, options);
      const resource = output.parse(JSON.parse(json));
      expect(resource).toEqual(JSON.parse(json));
      return resource;
    };
  return {
    createSubscription: calling(createWebhookOperation, subscriptionCreated),
    listSubscriptions: calling(listWebhooksOperation, subscriptionList),
    getSubscription: calling(getWebhookOperation, subscription),
    updateSubscription: calling(updateWebhookOperation, subscription),
    deleteSubscription: async (request: Named, options?: CallOptions) => {
      await call(deleteWebhookOperation, request, options);
    },
    sendTestDelivery: calling(testWebhookOperation, delivery),
    activateSubscription: calling(activateWebhookOperation, subscriptionActivated),
    pauseSubscription: calling(pauseWebhookOperation, subscription),
    rotateSecret: calling(rotateWebhookSecretOperation, secretRotated),
    activateSecret: calling(activateWebhookSecretOperation, subscription),
    checkUrl: calling(checkUrlOperation, urlCheck),
    readKeys: (subscriptionId: string) =>
      operations.callInternal(readWebhookKeysOperation, { subscriptionId }),
    /** Applies a step of a configuration file, as an operator. */
    configure(
      { companyId, companyClass = 'INSTALLER' }: Named,
      step: z.input<typeof configureWebhookOperation.input>,
    ) {
      const caller = { kind: 'operator', name: 'olga', companyId, companyClass } as const;
      return operations.callInternal(configureWebhookOperation, step, { caller });
    },
    /** Lists webhooks, as an operator who applies a configuration file. */
    listWhole({ companyId, companyClass = 'INSTALLER' }: Named) {
      const caller = { kind: 'operator', name: 'olga', companyId, companyClass } as const;
      return operations.callInternal(listWholeWebhooksOperation, {}, { caller });
    },
  };
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
    listCompanies: calling(listCompaniesOperation),
    createCompany: calling(createCompanyOperation),
    updateCompany: calling(updateCompanyOperation),
    findCompany: calling(findCompanyOperation),
    listOwners: calling(listOwnersOperation),
    createOwner: calling(createOwnerOperation),
    updateOwner: calling(updateOwnerOperation),
    resetSecondFactor: calling(resetOwnerSecondFactorOperation),
    unlinkProvider: calling(unlinkOwnerProviderOperation),
    listRecipients: calling(listAnnouncementRecipientsOperation),
    claimAnnouncement: calling(claimAnnouncementOperation),
    releaseAnnouncement: calling(releaseAnnouncementOperation),
    recordAnnouncement: calling(recordAnnouncementOperation),
    listAnnouncements: calling(listAnnouncementsOperation),
    checkRestore: calling(checkRestoreOperation),
    getBacklog: calling(getBacklogOperation),
    findPeople: calling(findPeopleOperation),
    readPersonData: calling(readPersonDataOperation),
    erasePerson: calling(erasePersonOperation),
    readCompanyData: calling(readCompanyDataOperation),
    eraseCompany: calling(eraseCompanyOperation),
    listErasures: calling(listErasuresOperation),
  };
}
