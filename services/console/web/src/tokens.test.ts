import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const TOKENS = readFileSync(path.join(import.meta.dirname, '../../web/src/tokens.css'), 'utf8');

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

const GROUNDS = ['page', 'rail', 'sunken', 'hover', 'pressed', 'raised'];

describe.each(['light', 'dark'])('in the %s scheme', (scheme) => {
  const value = (token: string): string => {
    const pair = new RegExp(`--${token}: (?:light-dark\\()?(#\\w{6})(?:, (#\\w{6})\\))?;`).exec(TOKENS);
    const [, light, dark = light] = pair ?? [];
    const color = scheme === 'light' ? light : dark;
    if (color === undefined) throw new Error(`no token --${token}`);
    return color;
  };
  const expectContrast = (one: string, ground: string, least: number) =>
    expect({ one, ground, is: contrast(value(one), value(ground)) >= least }).toEqual({
      one,
      ground,
      is: true,
    });

  test.each(['text', 'text-2', 'text-3', 'accent-text', 'bad-text', 'warn-text'])(
    '%s is readable',
    (text) => {
      for (const ground of GROUNDS) expectContrast(text, ground, 4.5);
    },
  );

  test.each(['code-key', 'code-string', 'code-number', 'code-atom'])('%s is readable', (text) => {
    expectContrast(text, 'sunken', 4.5);
  });

  test('marks, outlines and filled buttons stand out', () => {
    for (const mark of ['bad-dot', 'warn-dot', 'busy-dot', 'good-dot', 'line-control', 'chart-accepted']) {
      expectContrast(mark, 'page', 3);
    }
    for (const ground of ['accent', 'accent-hover']) expectContrast('on-accent', ground, 4.5);
    expectContrast('bad-text', 'bad-wash', 4.5);
    expectContrast('text-2', 'bad-wash', 4.5);
  });
});
