import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createEventCatalogue, eventCatalogue } from './event-catalogue.js';
import { EVENT_CATALOGUE } from './catalogue.js';

const catalogue = createEventCatalogue();

describe('the event catalogue', () => {
  test('lists every event that a subscription can name, and the version of the signature scheme [EVENT-2, EVENT-7]', () => {
    expect(catalogue.events.map(({ name }) => name)).toEqual(Object.keys(EVENT_CATALOGUE));
    expect(catalogue.signatureScheme).toBe('v1');
    expect(catalogue.events).toContainEqual(
      expect.objectContaining({
        name: 'install.test',
        group: 'install',
        meaning: 'on-demand test delivery, safe to ignore in production',
        classes: ['SALES', 'INSTALLER', 'ACCOUNTING'],
        schemaVersion: 1,
      }),
    );
    expect(eventCatalogue.parse(catalogue)).toEqual(catalogue);
  });

  test.each(catalogue.events)(
    'has a JSON Schema of $name that its example matches, without unlisted fields [EVENT-7, PLATFORM-18]',
    (event) => {
      const schema = z.fromJSONSchema(event.schema);
      expect(schema.safeParse(event.example).error).toBeUndefined();
      // Events from before `changed` do not have it.
      for (const field of Object.keys(event.example).filter((key) => key !== 'changed')) {
        expect(schema.safeParse({ ...event.example, [field]: undefined }).success).toBe(false);
      }
      expect(z.array(z.enum(event.fields)).safeParse(event.example['changed'] ?? []).error).toBeUndefined();
      expect(schema.safeParse({ ...event.example, event: 'another.event' }).success).toBe(false);
      const data = z.record(z.string(), z.unknown()).parse(event.example['data']);
      // Events from before `leadId` do not have it.
      const added = event.name === 'appointment.booked' ? [] : ['leadId'];
      for (const field of Object.keys(data).filter((key) => !added.includes(key))) {
        const fewer = { ...event.example, data: { ...data, [field]: undefined } };
        expect(schema.safeParse(fewer).success).toBe(false);
      }
      const text = JSON.stringify(event.schema);
      expect(text).not.toContain('additionalProperties":false');
      expect(text).not.toContain('"override"');
      expect(text).not.toContain('"$ref"');
    },
  );
});
