import { describe, expect, test } from '@jest/globals';
import { PINE, RAIL, SURFACES, TONE_COLORS, TONES } from './palette.js';

const AA = 4.5;

/** Returns the WCAG 2 contrast of two colours such as `#0f6a5c`, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [lighter = 1, darker = 1] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = Number.parseInt(color.slice(place, place + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

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
