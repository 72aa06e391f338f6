import { CompanyClass } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { requiredField } from './required-field.js';

const NAMES: Readonly<Record<CompanyClass, CompanyClassName | undefined>> = {
  [CompanyClass.UNSPECIFIED]: undefined,
  [CompanyClass.SALES]: 'SALES',
  [CompanyClass.INSTALLER]: 'INSTALLER',
  [CompanyClass.ACCOUNTING]: 'ACCOUNTING',
};

const CLASSES: Readonly<Record<CompanyClassName, CompanyClass>> = {
  SALES: CompanyClass.SALES,
  INSTALLER: CompanyClass.INSTALLER,
  ACCOUNTING: CompanyClass.ACCOUNTING,
};

/** Converts a company's class to its public name. */
export function companyClassName(companyClass: CompanyClass): CompanyClassName {
  return requiredField(NAMES[companyClass], 'a known company class');
}

/** Converts a company's public class name to the RPC enum. */
export function companyClassOf(name: CompanyClassName): CompanyClass {
  return CLASSES[name];
}
