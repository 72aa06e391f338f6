import { describe, expect, test } from '@jest/globals';
import { contrast } from './contrast.js';
import { PINE, RAIL, SURFACES } from './palette.js';
import { TONE_COLORS, TONES } from './tones.js';

const AA = 4.5;

test('contrast matches WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#0f6a5c', '#0f6a5c')).toBe(1);
});

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  const { body, raised, ...surface } = SURFACES[scheme];

  test.each(['text', 'dimmed', 'placeholder', 'error', 'anchor'] as const)('%s is readable', (kind) => {
    expect(contrast(surface[kind], body)).toBeGreaterThanOrEqual(AA);
    expect(contrast(surface[kind], raised)).toBeGreaterThanOrEqual(AA);
  });

  test.each(TONES)('the tone %s is readable, on its background and on the page', (tone) => {
    const { text, background } = TONE_COLORS[scheme][tone];
    expect(contrast(text, background)).toBeGreaterThanOrEqual(AA);
    expect(contrast(text, body)).toBeGreaterThanOrEqual(AA);
    expect(contrast(text, raised)).toBeGreaterThanOrEqual(AA);
  });
});

test('the navigation is readable', () => {
  for (const ground of [RAIL.ground, RAIL.active]) {
    expect(contrast(RAIL.text, ground)).toBeGreaterThanOrEqual(AA);
  }
  expect(contrast(RAIL.dimmed, RAIL.ground)).toBeGreaterThanOrEqual(AA);
});

test('a filled button is readable in both schemes', () => {
  expect(contrast('#ffffff', PINE[7])).toBeGreaterThanOrEqual(AA);
  expect(contrast('#ffffff', PINE[6])).toBeGreaterThanOrEqual(AA);
});
