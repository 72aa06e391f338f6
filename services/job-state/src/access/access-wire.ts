import { CompanyClass, KeyKind } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';

/** Each company class as RPCs carry it. */
export const COMPANY_CLASS_ON_THE_WIRE: Readonly<Record<CompanyClassName, CompanyClass>> = {
  SALES: CompanyClass.SALES,
  INSTALLER: CompanyClass.INSTALLER,
  ACCOUNTING: CompanyClass.ACCOUNTING,
};

/** Each kind of key as RPCs carry it. */
export const KEY_KIND_ON_THE_WIRE: Readonly<Record<KeyKindName, KeyKind>> = {
  general: KeyKind.GENERAL,
  'installer-contractor': KeyKind.INSTALLER_CONTRACTOR,
  'installer-company': KeyKind.INSTALLER_COMPANY,
};
