import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from '@jest/globals';
import {
  AuthenticateKeyResponseSchema,
  KeyKind,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  CompanyChangedSchema,
  CompanyClass,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  DeliverWebhookSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { jsonIn, viewOf } from './message-view.js';

test("a message is shown in the words of the partners' API", () => {
  const at = new Date('2026-08-26T14:03:00Z');
  const key = create(AuthenticateKeyResponseSchema, {
    companyId: 'cmp_1',
    kind: KeyKind.INSTALLER_CONTRACTOR,
  });
  expect(viewOf(AuthenticateKeyResponseSchema, key)).toEqual({
    companyId: 'cmp_1',
    kind: 'installer-contractor',
  });
  const command = create(DeliverWebhookSchema, { leasedAt: timestampFromDate(at) });
  expect(viewOf(DeliverWebhookSchema, command)).toEqual({ leasedAt: '2026-08-26T14:03:00Z' });
  expect(viewOf(CompanyChangedSchema, create(CompanyChangedSchema, { class: CompanyClass.SALES }))).toEqual({
    class: 'SALES',
  });
});

test('words inside of lists and of messages are shown so too, and bytes as their text', () => {
  const attempted = create(DeliveriesAttemptedSchema, {
    results: [{ attempt: { outcome: AttemptOutcome.TIMED_OUT, responseBody: Buffer.from('Zoë') } }],
  });
  expect(viewOf(DeliveriesAttemptedSchema, attempted)).toEqual({
    results: [{ attempt: { outcome: 'timed_out', responseBody: 'Zoë' } }],
  });
});

test('a text that is no JSON stays a text', () => {
  expect(jsonIn('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(jsonIn('<html>')).toBe('<html>');
});
