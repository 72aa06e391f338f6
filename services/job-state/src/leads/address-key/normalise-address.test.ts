import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { normaliseAddress } from './normalise-address.js';
import { PLURAL_SUFFIXES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';
import { DIFFERENT } from './testing/different-addresses.js';
import { PARTS, place, style, writeAddress } from './testing/random-address.js';
import { SAME, SAME_BY_COMMA } from './testing/same-addresses.js';
import { STATES } from './usps-states.js';

/** Inputs that would cause catastrophic backtracking in a regular expression. */
const HOSTILE = [
  ...[
    'N E ',
    '12 N St ',
    'East St ',
    'St ',
    '1-',
    '1/',
    'A-1',
    'A.',
    '#',
    '# ',
    'APT ',
    'Apt B 4 ',
    'Fl 2 ',
    '2nd Fl ',
  ],
  ...[
    ', ',
    'c/o 1 , ',
    "O' ",
    'Mc ',
    '62701-1234 ',
    'IL 62701 ',
    'N Y ',
    'U S ',
    'One Hundred ',
    'P O ',
    'Box # ',
  ],
  ...[
    'RR 0',
    'Route 2 ',
    '12 Texas ',
    'State Route ',
    'e\u0301',
    '\u0301',
    '½',
    '  ',
    '%   ',
    'CARE   ',
    'a b ',
    'E1 N1 ',
  ],
];

/** A letter of an address as another person or program may write it. */
function disturb(letter: string, choice: number): string {
  if (choice === 0) return letter.toUpperCase();
  if (choice === 1) return letter.toLowerCase();
  if (choice === 2)
    return /[!-~]/.test(letter) ? String.fromCodePoint(0xfee0 + letter.charCodeAt(0)) : letter;
  if (choice === 3) return `${letter}\u200b`;
  if (choice === 4) return `${letter}\u00ad`;
  if (choice === 5) return letter === ' ' ? ' \u00a0\u2009' : letter;
  if (choice === 6) return /[A-Za-z]/.test(letter) ? `${letter}\u0301` : letter;
  return letter;
}

describe('the key of an address', () => {
  test.each([...SAME, ...SAME_BY_COMMA])('is the same for %j and %j [LEAD-4, LEAD-5]', (one, other) => {
    expect(normaliseAddress(one)).toBe(normaliseAddress(other));
  });

  test.each(DIFFERENT)('keeps %j and %j apart [LEAD-5]', (one, other) => {
    expect(normaliseAddress(one)).not.toBe(normaliseAddress(other));
  });

  test.each([...SUFFIXES])('reads the suffix %s as %s', (written, suffix) => {
    const standard = PLURAL_SUFFIXES.get(suffix) ?? suffix;
    expect(normaliseAddress(`12 Oak ${written}, Troy, NY 12180`)).toBe(`12 OAK ${standard} TROY NY 12180`);
    expect(normaliseAddress(`12 Oak ${written}. North Troy NY 12180`)).toBe(
      `12 OAK ${standard} N TROY NY 12180`,
    );
  });

  test.each([...UNIT_DESIGNATORS])('reads the designator %s as %s', (written, designator) => {
    const [one, other] = [written, designator].map((word) =>
      normaliseAddress(`12 Elm Dr ${word} #4, Troy, NY 12180`),
    );
    expect(one).toBe(other);
  });

  test('keeps units of different kinds apart', () => {
    const kinds = [...new Set(UNIT_DESIGNATORS.values())].filter((kind) => kind !== 'APT');
    const keys = kinds.map((kind) => normaliseAddress(`12 Elm Dr ${kind} 4, Troy, NY 12180`));
    expect(new Set(keys).size).toBe(kinds.length);
  });

  test.each([...STATES])('reads the state %s as %s', (written, code) => {
    for (const end of [
      ', Troy, ? 12180-1234',
      ' Troy ? 12180',
      ', Troy, ?',
      ' Troy ?',
      ', Troy, ?., U.S.A.',
    ]) {
      const [one, other] = [written, code].map((state) =>
        normaliseAddress(`12 Elm Dr${end.replace('?', state)}`),
      );
      expect(one).toBe(other);
    }
  });

  test('is the same for two spellings of one place, and differs for two places', () => {
    fc.assert(
      fc.property(place, place, style, style, (one, other, oneStyle, otherStyle) => {
        const key = normaliseAddress(writeAddress(one, oneStyle));
        expect(normaliseAddress(writeAddress(one, otherStyle))).toBe(key);
        expect(normaliseAddress(writeAddress(other, otherStyle)) === key).toBe(
          JSON.stringify(one) === JSON.stringify(other),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('changes with each part of a place', () => {
    fc.assert(
      fc.property(place, place, style, (one, other, written) => {
        for (const part of PARTS) {
          const changed = { ...one, [part]: other[part] };
          expect(
            normaliseAddress(writeAddress(changed, written)) === normaliseAddress(writeAddress(one, written)),
          ).toBe(other[part] === one[part]);
        }
      }),
    );
  });

  test('changes with any name of the street', () => {
    const known = new Set([...SUFFIXES.keys(), ...UNIT_DESIGNATORS.keys(), ...STATES.keys()]);
    const name = fc.stringMatching(/^[A-Z][a-z]{3,9}$/).filter((word) => !known.has(word.toUpperCase()));
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [oneKey, otherKey] = [one, other].map((word) =>
          normaliseAddress(`12 ${word} St, Troy, NY 12180`),
        );
        expect(oneKey === otherKey).toBe(one === other);
      }),
    );
  });

  test('does not depend on case, width, accents, spaces and invisible signs', () => {
    const noise = fc.array(fc.nat({ max: 9 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...SAME.flat()), noise, (address, choices) => {
        const written = Array.from(address, (letter, index) =>
          disturb(letter, choices[index % 40] ?? 0),
        ).join('');
        expect(normaliseAddress(` ${written} .`)).toBe(normaliseAddress(address));
      }),
      { numRuns: 1_000 },
    );
  });

  test('is its own key', () => {
    for (const address of [...SAME, ...SAME_BY_COMMA, ...DIFFERENT].flat()) {
      const key = normaliseAddress(address);
      expect(normaliseAddress(key)).toBe(key);
    }
  });

  test('differs for different house numbers, units and ZIP codes', () => {
    const place = fc.record({
      house: fc.integer({ min: 1, max: 99_999 }),
      unit: fc.option(fc.integer({ min: 1, max: 9_999 })),
      zip: fc.integer({ min: 10_000, max: 99_999 }),
    });
    const write = ({ house, unit, zip }: { house: number; unit: number | null; zip: number }) =>
      `${house} Main St${unit === null ? '' : ` Apt ${unit}`}, Springfield, IL ${zip}`;
    fc.assert(
      fc.property(place, place, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(normaliseAddress(write(one)) === normaliseAddress(write(other))).toBe(isSame);
      }),
    );
  });

  test('does not depend on case, commas or runs of spaces', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SAME.flat()),
        fc.constantFrom(' ', '  ', '\u00a0', ' , '),
        (address, gap) => {
          const spaced = address.replaceAll(', ', gap);
          expect(normaliseAddress(spaced.toLowerCase())).toBe(normaliseAddress(address.toUpperCase()));
        },
      ),
    );
  });

  test('has 1 to 2,000 bytes, and differs for long addresses that differ', () => {
    const long = Array.from({ length: 499 }, (_, index) => String.fromCodePoint(0x3300 + (index % 80))).join(
      '',
    );
    const [one, other] = ['A', 'B'].map((end) => normaliseAddress(`${long}${end}`));
    expect(Buffer.byteLength(one ?? '')).toBeLessThanOrEqual(2_000);
    expect(one).not.toBe(other);
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 500, unit: 'binary' }), (address) => {
        const bytes = Buffer.byteLength(normaliseAddress(address));
        expect(bytes).toBeGreaterThan(0);
        expect(bytes).toBeLessThanOrEqual(2_000);
      }),
    );
  });

  test('is computed fast for a long text of any repetition', () => {
    for (const part of HOSTILE) normaliseAddress(part.repeat(20_000 / part.length));
    expect(HOSTILE).not.toHaveLength(0);
  });

  test('differs for addresses of signs and of invisible characters', () => {
    const addresses = [
      '...',
      '???',
      '\u{1f3e0}\u{1f3e0}',
      '\u{1f3e1}\u{1f3e1}',
      '\u200b\u200b\u200b',
      '\u200c\u200c\u200c',
      '   ',
    ];
    const keys = addresses.map(normaliseAddress);
    expect(new Set(keys).size).toBe(addresses.length);
    expect(keys).not.toContain('');
  });
});
