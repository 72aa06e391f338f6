import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { EVENT_CATALOGUE, isEventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import {
  webhookEnvelope,
  webhookExample,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { invariant } from '@partner/kernel/process/invariant';
import { z } from 'zod';
import { renderEnvelope } from './render-envelope.js';

const content = {
  eventId: 'evt_01jqzk5v3wf8a9m2n4p6r8t0xy',
  event: 'install.status_changed',
  occurredAt: new Date('2026-08-26T14:03:00Z'),
  // Not in the order of the schemas, and with a field that the envelope does not have.
  resource: { version: 3, id: 'job_01jqzk5v3wf8a9m2n4p6r8t0xz', type: 'install_job', price: 12_000 },
  changed: ['status', 'readiness.ready'],
  data: {
    blockerCode: 'SITE_NOT_READY',
    note: 'Gate "A" is locked – 門',
    occurredAt: '2026-08-26T14:02:30.500Z',
    status: 'BLOCKED',
    previousStatus: 'ON_SITE',
    jobId: 'job_01jqzk5v3wf8a9m2n4p6r8t0xz',
  },
} as const;

describe('renderEnvelope', () => {
  test('renders these exact bytes, in the order of the schemas [EVENT-1, HTTP-3, VERSION-1, VERSION-4]', () => {
    expect(renderEnvelope(content).toString('utf8')).toBe(
      '{"id":"evt_01jqzk5v3wf8a9m2n4p6r8t0xy","event":"install.status_changed","apiVersion":"2026-08-26",' +
        '"schemaVersion":1,"occurredAt":"2026-08-26T14:03:00.000Z",' +
        '"resource":{"type":"install_job","id":"job_01jqzk5v3wf8a9m2n4p6r8t0xz","version":3},' +
        '"changed":["status","readiness.ready"],"data":{"jobId":"job_01jqzk5v3wf8a9m2n4p6r8t0xz","previousStatus":"ON_SITE","status":"BLOCKED",' +
        '"occurredAt":"2026-08-26T14:02:30.500Z","note":"Gate \\"A\\" is locked – 門","blockerCode":"SITE_NOT_READY"}}',
    );
  });

  test("rejects a field that is not in the event's schema [EVENT-1]", () => {
    const data = { ...content.data, customerEmail: 'c@example.com' };
    expect(() => renderEnvelope({ ...content, data })).toThrow(/customerEmail/);
  });
});

/** The example bodies of the last release, each as the text whose bytes a subscriber received. */
const example = z.object({ 'application/json': z.object({ example: z.unknown() }) });
const webhook = z.object({ post: z.object({ requestBody: z.object({ content: example }) }) });
const released = z.object({ openApi: z.object({ webhooks: z.record(z.string(), webhook) }) });
const RELEASE = '../../../../../proto-contracts/released/release.json.gz';
const release = gunzipSync(readFileSync(path.resolve(import.meta.dirname, RELEASE))).toString();
const RELEASED = Object.entries(released.parse(JSON.parse(release)).openApi.webhooks).map(
  ([event, { post }]): [string, string] => [
    event,
    JSON.stringify(post.requestBody.content['application/json'].example),
  ],
);

test.each(RELEASED)(
  'renders the released bytes of %s, apart from fields that are new [VERSION-2, VERSION-4]',
  (event, bytes) => {
    invariant(isEventName(event), 'an event stays in the catalogue');
    const { id: eventId, occurredAt, resource, data } = webhookEnvelope.parse(JSON.parse(bytes));
    const rendered = renderEnvelope({
      eventId,
      event,
      occurredAt: new Date(occurredAt),
      resource,
      data: EVENT_CATALOGUE[event].data.parse({ ...webhookExample(event).data, ...data }),
    }).toString('utf8');
    const isReleased = (key: string) => /^\d*$/.test(key) || bytes.includes(`"${key}":`);
    const known: unknown = JSON.parse(rendered);
    expect(JSON.stringify(known, (key, value: unknown) => (isReleased(key) ? value : undefined))).toBe(bytes);
  },
);
