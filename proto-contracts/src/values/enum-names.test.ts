import { describe, expect, test } from '@jest/globals';
import type { GenEnum } from '@bufbuild/protobuf/codegenv2';
import { CompanyClassSchema } from '../gen/partner/platform/v1/company_messages_pb.js';
import { CompanyClassSchema as PlatformClassSchema } from '../gen/partner/platform/v1/company_messages_pb.js';
import { DocumentCategorySchema } from '../gen/partner/platform/v1/job_messages_pb.js';
import { AttemptOutcomeSchema } from '../gen/partner/webhooks/v1/delivery_pb.js';
import { ATTEMPT_OUTCOMES } from '../resources/attempt/attempt.js';
import { DOCUMENT_CATEGORIES } from '../resources/job/job.js';
import { companyClass } from './company-class.js';
import { enumName, enumValue } from './enum-names.js';

describe('the public names of a protobuf enum', () => {
  test.each<[GenEnum<number>, readonly string[]]>([
    [CompanyClassSchema, companyClass.options],
    [PlatformClassSchema, companyClass.options],
    [AttemptOutcomeSchema, ATTEMPT_OUTCOMES],
    [DocumentCategorySchema, DOCUMENT_CATEGORIES],
  ])('name every value of %s', (descriptor, names) => {
    expect(names.map((name) => enumName(descriptor, names, enumValue(descriptor, name)))).toEqual(names);
    expect(names).toHaveLength(descriptor.values.length - 1);
  });

  test('name neither an unset nor an unknown value', () => {
    const nameOf = (value?: number) => enumName(CompanyClassSchema, companyClass.options, value);
    expect([nameOf(), nameOf(0), nameOf(99)]).toEqual([undefined, undefined, undefined]);
  });

  test('refuse a name that the enum lacks', () => {
    expect(() => enumValue(CompanyClassSchema, 'MASTER')).toThrow('COMPANY_CLASS_MASTER');
  });
});
