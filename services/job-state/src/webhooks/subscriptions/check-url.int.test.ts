import { beforeAll, describe, expect, test } from '@jest/globals';
import { fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { createGate } from '../../testing/create-gate.js';
import { eventually } from '@partner/test-kit/eventually';

let companyId: string;

beforeAll(async () => {
  companyId = await fixture.company();
});

describe('checkUrl', () => {
  test('allows the URLs that the creation accepts', async () => {
    const url = 'https://Receiver.example/hooks';
    // The dispatcher is called for a valid URL only.
    await fixture.client.checkUrl({ companyId, url: 'http://receiver.example/' });
    expect(await fixture.client.checkUrl({ companyId, url })).toEqual({ ok: true });
    expect(fixture.dispatcher.calls).toEqual([url]);
  });

  test.each([
    '',
    'nothing',
    'http://receiver.example/',
    'https://receiver.example:8443/',
    'https://me@receiver.example/',
    'https://receiver.example/a b',
    `https://receiver.example/${'x'.repeat(2_048)}`,
    'https://inside.example/',
  ])('refuses %j in the words of the creation', async (url) => {
    const created = fixture.client.createSubscription({
      companyId,
      companyClass: 'INSTALLER',
      url,
      events: ['install.*'],
    });
    const { message } = await failureOf(created);
    const { ok, reason = '' } = await fixture.client.checkUrl({ companyId, url });
    expect(ok).toBe(false);
    expect(message).toContain(`url: ${reason}`);
  });

  test('gives one company at most half of the URL checks, and serves another [LIMIT-8]', async () => {
    const held = createGate();
    let holding = 0;
    fixture.dispatcher.onCall = () => {
      holding += 1;
      return held.opened;
    };
    const hostile = Array.from({ length: 110 }, () =>
      fixture.client.checkUrl({ companyId, url: 'https://receiver.example/' }).then(
        () => 'checked',
        () => 'refused',
      ),
    );
    await eventually('the share of the company', () => holding === 20);
    fixture.dispatcher.onCall = () => undefined;
    const other = await fixture.company();
    expect(await fixture.client.checkUrl({ companyId: other, url: 'https://receiver.example/' })).toEqual({
      ok: true,
    });
    expect(holding).toBe(20);
    held.open();
    const outcomes = await Promise.all(hostile);
    expect(outcomes.filter((outcome) => outcome === 'checked')).toHaveLength(100);
  });
});
