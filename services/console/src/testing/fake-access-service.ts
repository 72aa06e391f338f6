import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { type ApiKey, keyKind, NEW_KEY_EXAMPLE } from '@partner/proto-contracts/resources/api-key/api-key';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { nextCursorOf, resourceResponse } from './resource-response.js';

const HOUR_MS = 3_600_000;

interface OfCompany {
  readonly companyId?: string | undefined;
}

type KeyMethods = Pick<
  ServiceImpl<typeof AccessService>,
  'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey' | 'listContractedInstallers'
>;

/** Installer companies of every in-memory company. */
export const FAKE_INSTALLERS = [newId('cmp'), newId('cmp'), newId('cmp')]
  .sort()
  .map((id, index) => ({ id, name: `Installer ${index + 1}` }));

/**
 * Creates the methods for API keys over in-memory companies, newest first. `ask` records the call and returns the keys.
 */
export function createFakeKeyMethods(deps: {
  readonly now: Date;
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
    const key: ApiKey = {
      ...NEW_KEY_EXAMPLE,
      id,
      kind: given.kind,
      scopes: [...KEY_KINDS[given.kind].scopes],
      description: given.description,
      lastFour,
      boundCompany: given.boundCompany,
      createdAt: formatDateTime(now),
    };
    keys.unshift(key);
    return { key, apiKey };
  }

  return {
    listKeys: (request) => {
      const { beforeKeyId, limit = 50 } = request;
      const matching = ask('listKeys', request).filter(
        ({ id }) => beforeKeyId === undefined || id < beforeKeyId,
      );
      return resourceResponse({ keys: matching.slice(0, limit), nextCursor: nextCursorOf(matching, limit) });
    },
    createKey: (request) => {
      const keys = ask('createKey', request);
      const boundCompany = FAKE_INSTALLERS.find(({ id }) => id === request.boundCompanyId);
      if (request.boundCompanyId !== undefined && boundCompany === undefined) {
        throw new ServiceError('installer_not_bindable', 'boundCompanyId: must be an installer company');
      }
      return resourceResponse(
        add(keys, {
          kind: keyKind.parse(request.kind),
          description: request.description ?? null,
          boundCompany: boundCompany ?? null,
        }),
      );
    },
    rotateKey: (request) => {
      const { keys, key: previous } = keyOf('rotateKey', request);
      if (previous.replacedBy !== null) {
        throw new ServiceError('key_not_rotatable', `the key was replaced by ${previous.replacedBy} already`);
      }
      const made = add(keys, previous);
      const overlapMs = (request.overlapHours ?? 0) * HOUR_MS;
      previous.replacedBy = made.key.id;
      previous.expiresAt = formatDateTime(new Date(now.getTime() + overlapMs));
      previous.state = 'expiring';
      return resourceResponse({ ...made, previous });
    },
    revokeKey: (request) => {
      const { key } = keyOf('revokeKey', request);
      key.state = 'revoked';
      key.revokedAt = formatDateTime(now);
      return {};
    },
    listContractedInstallers: (request) => {
      ask('listContractedInstallers', request);
      const { afterCompanyId, limit = 50 } = request;
      const matching = FAKE_INSTALLERS.filter(
        ({ id }) => afterCompanyId === undefined || id > afterCompanyId,
      );
      return resourceResponse({
        installers: matching.slice(0, limit),
        nextCursor: nextCursorOf(matching, limit),
      });
    },
  };
}
