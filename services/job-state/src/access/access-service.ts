import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AccessService,
  CompanyClassSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  type ApiKeyCreated,
  type ApiKeyPage,
  type ApiKeyRotated,
  keyKind,
} from '@partner/proto-contracts/resources/api-key/api-key';
import type { InstallerPage } from '@partner/proto-contracts/resources/installer/installer';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Environment } from '@partner/kernel/api-key';
import type { Logger } from '@partner/kernel/logger';
import type { SealingKeys } from '@partner/kernel/secret-sealing';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { pageSize } from '../rpc/page-size.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { listContractedInstallers } from './contracted-installers.js';
import { changePassword } from './change-password.js';
import { createColleagueRpcs } from './colleague-rpcs.js';
import { createKey } from './create-key.js';
import { getLogin } from './get-login.js';
import { getOwner } from './get-owner.js';
import { shownKey } from './key-resource.js';
import { listKeys } from './list-keys.js';
import { getPasswordLink, requestPasswordLink, usePasswordLink } from './password-links.js';
import { passwordVersion } from './password-version.js';
import { createProviderRpcs } from './provider-rpcs.js';
import { revokeKey } from './revoke-key.js';
import { rotateKey } from './rotate-key.js';
import { createSecondFactorRpcs } from './second-factor-rpcs.js';
import {
  confirmTechnicalContact,
  getTechnicalContact,
  requestTechnicalContact,
  shownTechnicalContact,
} from './technical-contact.js';

/** Serves the RPCs with which a company's owner signs in and manages its API keys, its technical contact and their second factor. */
export function createAccessService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly sealingKeys: SealingKeys;
  /** The environment of the created keys. */
  readonly environment: Environment;
  /** True: operators call it, who may pair companies. Absent: owners do. */
  readonly isForOperators?: boolean;
}): ServiceImpl<typeof AccessService> {
  return {
    ...createSecondFactorRpcs(deps),
    ...createColleagueRpcs(deps),
    ...createProviderRpcs(deps),

    async revokeKey(request, context) {
      await revokeKey(deps, {
        companyId: required(request.companyId, 'company_id'),
        actor: actorOf(request),
        keyId: required(request.keyId, 'key_id'),
        timeoutMs: context.timeoutMs(),
      });
      return {};
    },

    async listKeys(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { keys, nextBeforeId } = await listKeys(database, {
        companyId: required(request.companyId, 'company_id'),
        beforeKeyId: request.beforeKeyId,
        limit: pageSize(request.limit),
      });
      const now = deps.clock();
      const page = { keys: keys.map((key) => shownKey(key, now)), nextCursor: nextBeforeId ?? null };
      return { resourceJson: JSON.stringify(page satisfies ApiKeyPage) };
    },

    async createKey(request, context) {
      const { key, text } = await createKey(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          isOperator: deps.isForOperators === true,
          kind: kindOf(required(request.kind, 'kind')),
          boundCompanyId: request.boundCompanyId,
          description: request.description,
        },
        { timeoutMs: context.timeoutMs() },
      );
      const created = { key: shownKey(key, deps.clock()), apiKey: text };
      return { resourceJson: JSON.stringify(created satisfies ApiKeyCreated) };
    },

    async rotateKey(request, context) {
      const { key, text, previous } = await rotateKey(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          keyId: required(request.keyId, 'key_id'),
          overlapHours: required(request.overlapHours, 'overlap_hours'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      const now = deps.clock();
      const rotated = { key: shownKey(key, now), apiKey: text, previous: shownKey(previous, now) };
      return { resourceJson: JSON.stringify(rotated satisfies ApiKeyRotated) };
    },

    async listContractedInstallers(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { installers, nextAfterId } = await listContractedInstallers(database, {
        companyId: required(request.companyId, 'company_id'),
        afterCompanyId: request.afterCompanyId,
        limit: pageSize(request.limit),
      });
      const page = {
        installers: installers.map(({ id, name }) => ({ id, name })),
        nextCursor: nextAfterId ?? null,
      };
      return { resourceJson: JSON.stringify(page satisfies InstallerPage) };
    },

    async getTechnicalContact(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const companyId = required(request.companyId, 'company_id');
      const contact = await getTechnicalContact(database, companyId, deps.clock());
      return { resourceJson: JSON.stringify(shownTechnicalContact(contact)) };
    },

    async requestTechnicalContact(request, context) {
      const contact = await requestTechnicalContact(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          email: required(request.email, 'email'),
          tokenSha256: required(request.tokenSha256, 'token_sha256'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(shownTechnicalContact(contact)) };
    },

    async confirmTechnicalContact(request, context) {
      await confirmTechnicalContact(deps, required(request.tokenSha256, 'token_sha256'), {
        timeoutMs: context.timeoutMs(),
      });
      return {};
    },

    async getLogin(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const login = await getLogin({ database }, required(request.email, 'email'));
      if (login === undefined) return {};
      const { companyClass, sessionVersion: _, ...rest } = login;
      const mustHideHash = login.hasSecondFactor && request.asksSecondFactor !== true;
      return {
        login: {
          ...rest,
          companyClass: enumValue(CompanyClassSchema, companyClass),
          passwordVersion: passwordVersion(login),
          ...(mustHideHash && { passwordHash: undefined }),
        },
      };
    },

    async getOwner(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const owner = await getOwner(
        { database },
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(request.membershipId, 'membership_id'),
        },
      );
      if (owner === undefined) return { isOwner: false };
      return {
        isOwner: owner.role === 'OWNER',
        isViewer: owner.role === 'VIEWER',
        passwordVersion: passwordVersion(owner),
        ...(request.withPasswordHash === true && {
          ...(owner.passwordHash !== null && { passwordHash: owner.passwordHash }),
          ...(owner.email !== null && { email: owner.email }),
        }),
      };
    },

    async changePassword(request, context) {
      const actor = actorOf(request);
      const version = await changePassword(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(actor?.membershipId, 'actor.membership_id'),
          actor,
          formerPasswordVersion: required(request.formerPasswordVersion, 'former_password_version'),
          passwordHash: required(request.passwordHash, 'password_hash'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { passwordVersion: version };
    },

    async requestPasswordLink(request, context) {
      const person = await requestPasswordLink(
        deps,
        {
          email: required(request.email, 'email'),
          tokenSha256: required(request.tokenSha256, 'token_sha256'),
          onlyMembershipId: request.onlyMembershipId,
        },
        { timeoutMs: context.timeoutMs() },
      );
      return person === undefined ? {} : { email: person.email };
    },

    async getPasswordLink(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const token = required(request.tokenSha256, 'token_sha256');
      const { companyId: _companyId, ...person } = await getPasswordLink(database, token, deps.clock());
      return person;
    },

    async usePasswordLink(request, context) {
      await usePasswordLink(
        deps,
        {
          tokenSha256: required(request.tokenSha256, 'token_sha256'),
          passwordHash: required(request.passwordHash, 'password_hash'),
          client: request.actor,
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },
  };
}

function kindOf(name: string): KeyKindName {
  return required(keyKind.safeParse(name).data, 'known kind');
}
