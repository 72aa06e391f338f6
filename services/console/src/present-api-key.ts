import {
  type ApiKey,
  KeyKind,
  KeyState,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { apiKey } from '@partner/proto-contracts/public-api/api-key-management';
import { KEY_KINDS, type KeyKindName } from '@partner/proto-contracts/public-api/scopes';
import type { z } from 'zod';
import { presentInstant, presentOptionalInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

type ApiKeyView = z.input<typeof apiKey>;

const KIND_NAMES: Readonly<Record<KeyKind, KeyKindName | undefined>> = {
  [KeyKind.UNSPECIFIED]: undefined,
  [KeyKind.GENERAL]: 'general',
  [KeyKind.INSTALLER_CONTRACTOR]: 'installer-contractor',
  [KeyKind.INSTALLER_COMPANY]: 'installer-company',
};

const KINDS: Readonly<Record<KeyKindName, KeyKind>> = {
  general: KeyKind.GENERAL,
  'installer-contractor': KeyKind.INSTALLER_CONTRACTOR,
  'installer-company': KeyKind.INSTALLER_COMPANY,
};

const STATES: Readonly<Record<KeyState, ApiKeyView['state'] | undefined>> = {
  [KeyState.UNSPECIFIED]: undefined,
  [KeyState.ACTIVE]: 'active',
  [KeyState.EXPIRING]: 'expiring',
  [KeyState.EXPIRED]: 'expired',
  [KeyState.REVOKED]: 'revoked',
};

/** A kind of key as the services tell it to each other. */
export function keyKindOf(name: KeyKindName): KeyKind {
  return KINDS[name];
}

/** An API key as its owner sees it. Throws when job-state left out what it always gives. */
export function presentApiKey(message: ApiKey | undefined): ApiKeyView {
  const given = requiredField(message, 'a key');
  const kind = requiredField(KIND_NAMES[given.kind ?? KeyKind.UNSPECIFIED], 'a known key.kind');
  return {
    id: requiredField(given.id, 'key.id'),
    kind,
    scopes: [...KEY_KINDS[kind].scopes],
    description: given.description ?? null,
    lastFour: requiredField(given.lastFour, 'key.last_four'),
    boundCompany: given.boundCompany === undefined ? null : presentInstaller(given.boundCompany),
    createdAt: presentInstant(given.createdAt, 'key.created_at'),
    lastUsedAt: presentOptionalInstant(given.lastUsedAt),
    expiresAt: presentOptionalInstant(given.expiresAt),
    revokedAt: presentOptionalInstant(given.revokedAt),
    state: requiredField(STATES[given.state ?? KeyState.UNSPECIFIED], 'a known key.state'),
    replacedBy: given.replacedBy ?? null,
  };
}

/** A company that installs for another one, as that one's owner sees it. */
export function presentInstaller(given: NonNullable<ApiKey['boundCompany']>) {
  return {
    id: requiredField(given.id, 'installer.id'),
    name: requiredField(given.name, 'installer.name'),
  };
}
