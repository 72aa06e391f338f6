import type { Caller } from '@partner/proto-contracts/call';
import { type CallOptions, createClient, type ServiceImpl } from '@connectrpc/connect';
import { expect } from '@jest/globals';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { type AuditPage, auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionCreated,
  subscriptionList,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { InternalOperation } from '@partner/proto-contracts/api/operation';
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
} from '@partner/proto-contracts/internal/operators/people';
import {
  checkRestoreOperation,
  getBacklogOperation,
} from '@partner/proto-contracts/internal/operators/system';
import { readResource, type ResourceResponse } from '@partner/proto-contracts/resource-json';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import type { z } from 'zod';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { auditOperations } from '../audit/audit-operations.js';
import { operatorOperations } from '../operator/operator-operations.js';
import { installerOwner } from './callers.js';
import { TEST_NOW } from './test-jobs.js';

/** Parses each response with its public schema. Fails for a field that the schema does not have. */
function reading<Request, Schema extends z.ZodType>(
  schema: Schema,
  call: (request: Request, options?: CallOptions) => Promise<ResourceResponse>,
) {
  return async (request: Request, options?: CallOptions): Promise<z.output<Schema>> => {
    const response = await call(request, options);
    const resource = readResource(schema, response);
    expect(resource).toEqual(JSON.parse(response.resourceJson ?? ''));
    return resource;
  };
}

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

/** Connects to a subscription service. Responses are parsed as public resources. */
export function connectSubscriptions(service: ServiceImpl<typeof SubscriptionService>) {
  const transport = createInMemoryTransport([rpcService(SubscriptionService, service)]);
  const client = createClient(SubscriptionService, transport);
  return {
    ...client,
    createSubscription: reading(subscriptionCreated, client.createSubscription),
    listSubscriptions: reading(subscriptionList, client.listSubscriptions),
    getSubscription: reading(subscription, client.getSubscription),
    updateSubscription: reading(subscription, client.updateSubscription),
    sendTestDelivery: reading(delivery, client.sendTestDelivery),
    activateSubscription: reading(subscriptionActivated, client.activateSubscription),
    pauseSubscription: reading(subscription, client.pauseSubscription),
    rotateSecret: reading(secretRotated, client.rotateSecret),
    activateSecret: reading(subscription, client.activateSecret),
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
