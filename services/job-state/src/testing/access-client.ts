import { expect } from '@jest/globals';
import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import {
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  replacePasswordOperation,
  usePasswordTokenOperation,
} from '@partner/proto-contracts/internal/access/passwords';
import { useSecondFactorOperation } from '@partner/proto-contracts/internal/access/second-factor';
import {
  findLoginOperation,
  findPersonOperation,
  findProviderLoginOperation,
  findSignInMethodsOperation,
  linkProviderOperation,
} from '@partner/proto-contracts/internal/access/sign-in';
import {
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
} from '@partner/proto-contracts/internal/access/technical-contact';
import type { AnyOperation, InternalOperation } from '@partner/proto-contracts/api/operation';
import type { Caller } from '@partner/proto-contracts/call';
import { apiKeyCreated, apiKeyPage, apiKeyRotated } from '@partner/proto-contracts/resources/api-key/api-key';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '@partner/proto-contracts/resources/api-key/operations';
import { colleague, colleagueList } from '@partner/proto-contracts/resources/colleague/colleague';
import {
  listColleaguesOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '@partner/proto-contracts/resources/colleague/operations';
import { installerPage } from '@partner/proto-contracts/resources/installer/installer';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import {
  beginSecondFactorOperation,
  getSecondFactorOperation,
} from '@partner/proto-contracts/resources/second-factor/operations';
import {
  secondFactor,
  secondFactorSecret,
} from '@partner/proto-contracts/resources/second-factor/second-factor';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { technicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import type { z } from 'zod';
import type { AccessDeps } from '../access/access-deps.js';
import { ACCESS_OPERATIONS } from '../start-rpc-servers.js';
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

/** Calls the operations of sign-in, keys, colleagues and technical contacts. Responses are parsed by their public schemas. */
export function connectAccess(deps: Partial<AccessDeps> & Pick<AccessDeps, 'database'>) {
  const operations = inProcessOperations({
    implementations: ACCESS_OPERATIONS.map((operation) => operation({ ...DEFAULTS, ...deps })),
    callers: ['owner', 'operator', 'service'],
  });

  const reading =
    <Schema extends z.ZodType>(operation: AnyOperation, schema: Schema) =>
    async (by: By, parts: CallParts = {}): Promise<z.output<Schema>> => {
      const { json } = await operations.call(operation, { caller: callerOf(by), query: {}, ...parts });
      const resource = schema.parse(JSON.parse(json));
      expect(resource).toEqual(JSON.parse(json));
      return resource;
    };
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
    listKeys: reading(listApiKeysOperation, apiKeyPage),
    createKey: reading(createApiKeyOperation, apiKeyCreated),
    rotateKey: reading(rotateApiKeyOperation, apiKeyRotated),
    revokeKey: writing(revokeApiKeyOperation),
    listInstallers: reading(listInstallersOperation, installerPage),
    getTechnicalContact: reading(getTechnicalContactOperation, technicalContact),
    requestTechnicalContact: askedBy(requestTechnicalContactOperation),
    useTechnicalContactToken: asked(useTechnicalContactTokenOperation),
    listColleagues: reading(listColleaguesOperation, colleagueList),
    inviteColleague: askedBy(inviteColleagueOperation),
    setColleagueRole: reading(setColleagueRoleOperation, colleague),
    removeColleague: writing(removeColleagueOperation),
    resetColleagueSecondFactor: writing(resetColleagueSecondFactorOperation),
    getSecondFactor: reading(getSecondFactorOperation, secondFactor),
    beginSecondFactor: reading(beginSecondFactorOperation, secondFactorSecret),
    useSecondFactor: askedBy(useSecondFactorOperation),
    findLogin: async (email: string) => (await asked(findLoginOperation)({ email })).login,
    findPerson: async (companyId: string, membershipId: string) => {
      const input = { companyId, membershipId, withPasswordHash: true };
      return (await asked(findPersonOperation)(input)).person;
    },
    findProviderLogin: asked(findProviderLoginOperation),
    linkProvider: askedBy(linkProviderOperation),
    findSignInMethods: askedBy(findSignInMethodsOperation),
    replacePassword: askedBy(replacePasswordOperation),
    createPasswordLink: asked(createPasswordLinkOperation),
    findPasswordLink: asked(findPasswordLinkOperation),
    usePasswordToken: asked(usePasswordTokenOperation),
  };
}
