import { CompanyClass, KeyKind } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { KeyKindName } from '@partner/proto-contracts/public-api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/public-api/webhook-events';

/** Each company class as it travels between services. */
export const COMPANY_CLASS_ON_THE_WIRE: Readonly<Record<CompanyClassName, CompanyClass>> = {
  SALES: CompanyClass.SALES,
  INSTALLER: CompanyClass.INSTALLER,
  ACCOUNTING: CompanyClass.ACCOUNTING,
};

/** Each kind of key as it travels between services. */
export const KEY_KIND_ON_THE_WIRE: Readonly<Record<KeyKindName, KeyKind>> = {
  general: KeyKind.GENERAL,
  'installer-contractor': KeyKind.INSTALLER_CONTRACTOR,
  'installer-company': KeyKind.INSTALLER_COMPANY,
};

const KEY_KIND_NAMES: Readonly<Record<KeyKind, KeyKindName | undefined>> = {
  [KeyKind.UNSPECIFIED]: undefined,
  [KeyKind.GENERAL]: 'general',
  [KeyKind.INSTALLER_CONTRACTOR]: 'installer-contractor',
  [KeyKind.INSTALLER_COMPANY]: 'installer-company',
};

/** The name of a kind of key; undefined for one that this version does not know. */
export function keyKindName(kind: KeyKind): KeyKindName | undefined {
  return KEY_KIND_NAMES[kind];
}
