import { expect } from '@jest/globals';
import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import * as passwords from '@partner/proto-contracts/internal/access/passwords';
import { useSecondFactorOperation } from '@partner/proto-contracts/internal/access/second-factor';
import * as signIn from '@partner/proto-contracts/internal/access/sign-in';
import * as contacts from '@partner/proto-contracts/internal/access/technical-contact';
import type { AnyOperation, InternalOperation } from '@partner/proto-contracts/api/operation';
import type { Caller } from '@partner/proto-contracts/call';
import * as apiKeys from '@partner/proto-contracts/resources/api-key/operations';
import * as colleagues from '@partner/proto-contracts/resources/colleague/operations';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import * as secondFactors from '@partner/proto-contracts/resources/second-factor/operations';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import type { AccessDeps } from '../access/access-deps.js';
import { ACCESS_OPERATIONS } from '../start-rpc-servers.js';
import { type OneResponse, parsedResponse } from './parsed-response.js';
import { TEST_NOW } from './test-jobs.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

/** Who calls: a person of the company, or an operator, who has a name alone. */
interface By {
  readonly companyId: string;
  /** Absent: a person whom no test asks for. */
  readonly membershipId?: string;
  readonly operator?: string;
  readonly remoteAddress?: string;
  readonly userAgent?: string;
}

function callerOf({ operator, companyId, membershipId = 'mem_dana', remoteAddress, userAgent }: By): Caller {
  const company = { companyId, companyClass: 'SALES' } as const;
  return operator === undefined
    ? {
        ...{ kind: 'owner', ...company, role: 'owner', membershipId, displayName: 'Dana' },
        ...{ remoteAddress, userAgent },
      }
    : { kind: 'operator', name: operator, ...company };
}

interface CallParts {
  readonly params?: Record<string, string>;
  readonly query?: object;
  readonly body?: object;
  readonly after?: string;
}

const DEFAULTS = {
  clock: () => TEST_NOW,
  logger: silentLogger,
  environment: 'sandbox',
  sealingKeys: TEST_SEALING_KEYS,
} as const;

export function connectAccess(deps: Partial<AccessDeps> & Pick<AccessDeps, 'database'>) {
  const operations = inProcessOperations({
    implementations: ACCESS_OPERATIONS.map((operation) => operation({ ...DEFAULTS, ...deps })),
    callers: ['owner', 'operator', 'service'],
  });

  const reading =
    <Output>(operation: OneResponse<Output>) =>
    async (by: By, parts: CallParts = {}) =>
      parsedResponse(
        operation,
        await operations.call(operation, { caller: callerOf(by), query: {}, ...parts }),
      );
  const writing = (operation: AnyOperation) => async (by: By, parts: CallParts) => {
    expect((await operations.call(operation, { caller: callerOf(by), ...parts })).json).toBe('');
  };
  const asked =
    <Input, Output>(operation: InternalOperation<Input, Output>) =>
    (input: Input) =>
      operations.callInternal(operation, input);
  const askedBy =
    <Input, Output>(operation: InternalOperation<Input, Output>) =>
    (by: By, input: Input) =>
      operations.callInternal(operation, input, { caller: callerOf(by) });

  return {
    listKeys: reading(apiKeys.listApiKeysOperation),
    createKey: reading(apiKeys.createApiKeyOperation),
    rotateKey: reading(apiKeys.rotateApiKeyOperation),
    revokeKey: writing(apiKeys.revokeApiKeyOperation),
    listInstallers: reading(listInstallersOperation),
    getTechnicalContact: reading(getTechnicalContactOperation),
    requestTechnicalContact: askedBy(contacts.requestTechnicalContactOperation),
    useTechnicalContactToken: asked(contacts.useTechnicalContactTokenOperation),
    listColleagues: reading(colleagues.listColleaguesOperation),
    inviteColleague: askedBy(inviteColleagueOperation),
    setColleagueRole: reading(colleagues.setColleagueRoleOperation),
    removeColleague: writing(colleagues.removeColleagueOperation),
    resetColleagueSecondFactor: writing(colleagues.resetColleagueSecondFactorOperation),
    getSecondFactor: reading(secondFactors.getSecondFactorOperation),
    beginSecondFactor: reading(secondFactors.beginSecondFactorOperation),
    useSecondFactor: askedBy(useSecondFactorOperation),
    findLogin: async (email: string) => (await asked(signIn.findLoginOperation)({ email })).login,
    findPerson: async (companyId: string, membershipId: string) => {
      const input = { companyId, membershipId, withPasswordHash: true };
      return (await asked(signIn.findPersonOperation)(input)).person;
    },
    findProviderLogin: asked(signIn.findProviderLoginOperation),
    linkProvider: askedBy(signIn.linkProviderOperation),
    findSignInMethods: askedBy(signIn.findSignInMethodsOperation),
    replacePassword: askedBy(passwords.replacePasswordOperation),
    createPasswordLink: asked(passwords.createPasswordLinkOperation),
    findPasswordLink: asked(passwords.findPasswordLinkOperation),
    usePasswordToken: asked(passwords.usePasswordTokenOperation),
  };
}
