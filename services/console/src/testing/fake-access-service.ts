import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AccessService,
  type ApiKey,
  ApiKeySchema,
  ContractedInstallerSchema,
  KeyKind,
  KeyState,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { notFound, ServiceError } from '@partner/kernel/service-error';

const HOUR_MS = 3_600_000;

interface OfCompany {
  readonly companyId?: string | undefined;
}

type KeyMethods = Pick<
  ServiceImpl<typeof AccessService>,
  'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey' | 'listContractedInstallers'
>;

/** The companies that work for every company in memory. */
export const FAKE_INSTALLERS = [newId('cmp'), newId('cmp'), newId('cmp')]
  .sort()
  .map((id, index) => ({ id, name: `Installer ${index + 1}` }));

/** Makes the methods for API keys over what companies have in memory, newest first. `ask` notes the call and gives the keys. */
export function createFakeKeyMethods(deps: {
  readonly now: Timestamp;
  readonly ask: (method: string, request: OfCompany) => ApiKey[];
}): KeyMethods {
  const { now, ask } = deps;

  function keyOf(method: string, request: OfCompany & { readonly keyId?: string | undefined }) {
    const keys = ask(method, request);
    const key = keys.find(({ id }) => id === request.keyId);
    if (key === undefined) throw notFound('API key');
    return { keys, key };
  }

  function add(keys: ApiKey[], given: Pick<ApiKey, 'kind' | 'description' | 'boundCompany'>) {
    const { keyId: id, lastFour, text: apiKey } = createApiKey('sandbox');
    const key = create(ApiKeySchema, { id, lastFour, createdAt: now, state: KeyState.ACTIVE });
    Object.assign(key, given);
    keys.unshift(key);
    return { key, apiKey };
  }

  return {
    listKeys: (request) => {
      const { beforeKeyId, limit = 50 } = request;
      const matching = ask('listKeys', request).filter(
        ({ id = '' }) => beforeKeyId === undefined || id < beforeKeyId,
      );
      const page = matching.slice(0, limit);
      const next = matching.length > limit ? page.at(-1)?.id : undefined;
      return { keys: page, ...(next !== undefined && { nextBeforeKeyId: next }) };
    },
    createKey: (request) => {
      const keys = ask('createKey', request);
      const boundCompany = FAKE_INSTALLERS.find(({ id }) => id === request.boundCompanyId);
      if (request.boundCompanyId !== undefined && boundCompany === undefined) {
        throw new ServiceError('installer_not_bindable', 'boundCompanyId: must be an installer company');
      }
      const { kind = KeyKind.UNSPECIFIED, description } = request;
      return add(keys, {
        kind,
        ...(description !== undefined && { description }),
        ...(boundCompany !== undefined && { boundCompany: create(ContractedInstallerSchema, boundCompany) }),
      });
    },
    rotateKey: (request) => {
      const { keys, key: previous } = keyOf('rotateKey', request);
      if (previous.replacedBy !== undefined) {
        throw new ServiceError('key_not_rotatable', `the key was replaced by ${previous.replacedBy} already`);
      }
      const { kind, description, boundCompany } = previous;
      const made = add(keys, {
        ...(kind !== undefined && { kind }),
        ...(description !== undefined && { description }),
        ...(boundCompany !== undefined && { boundCompany }),
      });
      const overlapMs = (request.overlapHours ?? 0) * HOUR_MS;
      previous.replacedBy = made.key.id;
      previous.expiresAt = timestampFromDate(new Date(timestampDate(now).getTime() + overlapMs));
      previous.state = KeyState.EXPIRING;
      return { ...made, previous };
    },
    revokeKey: (request) => {
      const { key } = keyOf('revokeKey', request);
      key.state = KeyState.REVOKED;
      key.revokedAt = now;
      return {};
    },
    listContractedInstallers: (request) => {
      ask('listContractedInstallers', request);
      const { afterCompanyId, limit = 50 } = request;
      const matching = FAKE_INSTALLERS.filter(
        ({ id }) => afterCompanyId === undefined || id > afterCompanyId,
      );
      const page = matching.slice(0, limit);
      const next = matching.length > limit ? page.at(-1)?.id : undefined;
      return { installers: page, ...(next !== undefined && { nextAfterCompanyId: next }) };
    },
  };
}
