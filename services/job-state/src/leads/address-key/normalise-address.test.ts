import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { normaliseAddress } from './normalise-address.js';
import { PLURAL_SUFFIXES, STATES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';

/** Two spellings of one street and place, both in Troy, NY 12180. */
const SAME = [
  ['123 Main Street', '１２３ Ｍａｉｎ Ｓｔ.'],
  ['12 Main\nSt', '  12   MAIN\tst ,'],
  ['12, N Main St', '(12) North Main St'],
  ['12 Martin Luther King Blvd', '12 M.L.K. Blvd'],
  ['12 MLK Blvd', '12 M. L. King Blvd'],
  ['12 Dr. Martin Luther King, Jr. Dr', '12 Doctor MLK Junior Drive'],
  ['45 Oak Ave N', '45 Oak Avenue North'],
  ['45 N.E. 5th Street', '45 North East 5th St'],
  ['45 NE Thirteenth St', '45 NE 13th Street'],
  ['45 W 42nd St', '45 West 42 Street'],
  ['45 Forty-Second St N', '45 42nd Street North'],
  ['45 Twentieth Ave', '45 20th Avenue'],
  ['45 N E 5th St', '45 North-East 5th St'],
  ['12 North East St', '12 N East Street'],
  ['12 Mountain View Rd', '12 Mtn Vw Road'],
  ['12 N Fort Thomas Ave', '12 North Ft Thomas Avenue'],
  ["12 Saint Mary's Rd", '12 St. Mary´s Road'],
  ['12 O’Brien Ln', '12 OBrien Lane'],
  ['12 Plaza de San José', '12 Plz de San Jose'],
  ['12 Ma\u00adin\u200b St', '12 Main St'],
  ['12-A Main St', '12A Main St'],
  ['123½ Main St', '123 1/2 Main St'],
  ['112–10 Queens Blvd', '112-10 Queens Boulevard'],
  ['P.O. Box 12', 'PO Box 12'],
  ['9 Elm Dr #4', '9 Elm Drive Apartment 4'],
  ['9 Elm Dr Apt. #4', '9 Elm Dr Unit No. 4'],
  ['Apt. 4-B, 9 Elm Dr', '9 Elm Dr ＃4B'],
  ['9 Elm Dr Unit 4 Apt 5', 'Apt 5, Unit 4, 9 Elm Dr'],
  ['9 Elm Dr Ste 200 Bldg 4', '9 Elm Dr, Building 4, Suite 200'],
  ['9 Elm Dr Penthouse', '9 Elm Dr PH'],
].map((streets) => streets.map((street) => `${street}, Troy, NY 12180`));

/** Two spellings of one address as a whole. */
const SAME_PLACE = [
  ['12 Elm St, Reno, NV 89501', '12 Elm St; Reno; N. V., 89501−2345'],
  ['12 Elm St, Reno, NV 89501-2345 USA', '12 Elm St\r\nReno, Nevada 895012345, United States of America'],
  ['1 Main St, Washington, District of Columbia 20001', '1 Main St, Washington, D.C. 20001'],
  ['PO Box 10001-1234, Reno, NV 89501-2345', 'PO Box 10001-1234, Reno, NV 89501'],
  ['100 Main St N E, Troy WI', '100 Main St NE, Troy WI'],
  ['100 Main St N, Troy WI', '100 Main Street North,\nTroy, Wisconsin'],
  ['12 Oak Ct', '12 Oak Court'],
  ['12 East Court St, Troy, NY 12180', '12 E Court Street, Troy, NY 12180'],
];

/** Streets that differ, both in Troy, NY 12180. */
const DIFFERENT = [
  ['12 North\nElm St', '12 North Elm St'],
  ['12 MLK Blvd', '12 MLK Jr Blvd'],
  ['12 MLK Blvd', '12 Dr MLK Blvd'],
  ['12 MLK Blvd', '12 King Blvd'],
  ['12 Main St', '12 Main Ave'],
  ['12 42nd St', '12 42nd Ave'],
  ['12 42nd St', '1242 St'],
  ['12 Second St', '12 Twenty-Second St'],
  ['12 20 1st St', '12 21st St'],
  ['Twenty First St', '21st St'],
  ['12 First Baptist Rd', '12 1 Baptist Rd'],
  ['12 Main', '12 Main St'],
  ['0123 Main St', '123 Main St'],
  ['10-12 Main St', '1012 Main St'],
  ['12 1/2 Main St', '12 1/4 Main St'],
  ['12² Main St', '122 Main St'],
  ['12 山田 St', '12 山口 St'],
  ['12 か St', '12 が St'],
  ['RR 2 Box 18', 'HC 2 Box 18'],
  ['12 E St', '12 East St'],
  ['12 North Ave', '12 N Ave'],
  ['100 Avenue E', '100 Avenue East'],
  ['12 E', '12 East'],
  ['12 E North St', '12 E N St'],
  ['100 N E St', '100 NE St'],
  ['123 E Main St', '123E Main St'],
  ['12 N Saint Charles Ave', '12 Saint Charles Ave N'],
  ['12 St Charles St', '12 Charles St'],
  ['12 Centre St', '12 Center St'],
  ['12 Trail Ct', '12 Trails Ct'],
  ['12 Lake St', '12 Lakes St'],
  ['9 Elm Dr Bldg 2 Apt 3', '9 Elm Dr Bldg 3 Apt 2'],
  ['9 Elm Dr Unit 4 Apt 5', '9 Elm Dr Unit 5 Apt 4'],
  ['9 Elm Dr Apt 4', '9 Elm Dr Apt 4 Rear'],
  ['9 Elm Dr Apt 04', '9 Elm Dr Apt 4'],
  ['9 Elm Dr Apt 4,5', '9 Elm Dr Apt 45'],
  ['9 Elm Dr Apt 1-2', '9 Elm Dr Apt 12'],
  ['9 Elm Dr Bldg E', '9 Elm Dr Bldg East'],
  ['9 Elm Dr Unit N', '9 Elm Dr N'],
  ['9 Elm Dr #12', '9 Elm Dr 12'],
  ['9 Elm Dr Rear', '9 Elm Dr'],
  ['Apt B, 4 Main St', 'Apt B4, Main St'],
  ['2nd Floor, 12 Main St', 'Floor 12, 2nd Main St'],
].map((streets) => streets.map((street) => `${street}, Troy, NY 12180`));

/** Addresses that differ as a whole. */
const DIFFERENT_PLACE = [
  ['12 Main St, Troy, NY', '12 Main St, Troy, NY 12180'],
  ['12 Main St, Troy, NY 12180', '12 Main St, Troy, NY 12181-2180'],
  ['12 Main St, Troy, NY 12180', '12 Main St, 12180'],
  ['1 Main St, Kansas City, KS 66101', '1 Main St, Kansas City, MO 66101'],
  ['12 Main St, Lincoln NE 68508', '12 Main St NE, Lincoln 68508'],
  ['12 Main St, Virginia, MN 55792', '12 Main St, MN 55792'],
  ['PO Box 10001-1234', 'PO Box 10001'],
  ['10 Main St Unit 10001-1001', '10 Main St Unit 10001-1002'],
  ['10 Main St Apt 5, E Lansing MI', '10 Main St Apt 5 E Lansing MI'],
  ['10 Main St Apt 5 E Lansing MI', '10 Main St Apt 5E Lansing MI'],
  ['100 Main St N, Troy WI', '100 Main St, N Troy WI'],
  ['100 Main St N E Troy WI', '100 Main St NE, Troy WI'],
  ['100 East St St Louis MO 63101', '100 E St St Louis MO 63101'],
  ['Broadway, N Troy, WI', 'Broadway N, Troy, WI'],
];

/** Inputs that would cause catastrophic backtracking in a regular expression. */
const HOSTILE = [
  ...'N E |12 N St |East St |1-|1/|A-1|A.|A. |#|# |APT |APT # |Apt B 4 |, '.split('|'),
  ..."O' |M L |62701-1234 |IL 62701 |N Y |U S |Texas |e\u0301|\u0301|½|  ".split('|'),
];

/** A letter of an address as another person or program may write it. */
function disturb(letter: string, choice: number): string {
  if (choice === 0) return letter.toUpperCase();
  if (choice === 1) return letter.toLowerCase();
  if (choice === 2)
    return /[!-~]/.test(letter) ? String.fromCodePoint(0xfee0 + letter.charCodeAt(0)) : letter;
  if (choice === 3) return `${letter}\u200b`;
  if (choice === 4) return letter === ' ' ? ' \u00a0\u2009' : letter;
  return choice === 5 && /[A-Za-z]/.test(letter) ? `${letter}\u0301` : letter;
}

describe('the key of an address', () => {
  test.each([...SAME, ...SAME_PLACE])(
    'is the same for %j and %j [LEAD-4, LEAD-5]',
    (one = '', other = '') => {
      expect(normaliseAddress(one)).toBe(normaliseAddress(other));
    },
  );

  test.each([...DIFFERENT, ...DIFFERENT_PLACE])('keeps %j and %j apart [LEAD-5]', (one = '', other = '') => {
    expect(normaliseAddress(one)).not.toBe(normaliseAddress(other));
  });

  test('unifies each suffix, designator and state of USPS Publication 28 [LEAD-5]', () => {
    for (const [written, suffix] of SUFFIXES) {
      const key = `12 OAK ${PLURAL_SUFFIXES.get(suffix) ?? suffix}`;
      expect(normaliseAddress(`12 Oak ${written}, Troy, NY 12180`)).toBe(`${key} TROY NY 12180`);
      expect(normaliseAddress(`12 Oak ${written}. North Troy NY 12180`)).toBe(`${key} N TROY NY 12180`);
    }
    for (const [written, designator] of UNIT_DESIGNATORS) {
      const kind = designator === 'APT' ? 'UNIT' : designator;
      expect(normaliseAddress(`12 Elm Dr ${written} #4, Troy`)).toBe(`${kind} 4 , 12 ELM DR TROY`);
    }
    for (const [written, code] of STATES)
      for (const end of ['? 12180', ', ? 12180-1234, U.S.A.'])
        expect(normaliseAddress(`12 Elm Dr, Troy ${end.replace('?', written)}`)).toBe(
          `12 ELM DR TROY ${code} 12180`,
        );
  });

  test('changes with the house number, the name of the street, the unit and the ZIP', () => {
    const known = new Set([...SUFFIXES.keys(), ...UNIT_DESIGNATORS.keys(), ...STATES.keys()]);
    const place = fc.record({
      house: fc.integer({ min: 1, max: 99_999 }),
      name: fc.stringMatching(/^[A-Z][a-z]{3,9}$/).filter((word) => !known.has(word.toUpperCase())),
      unit: fc.option(fc.integer({ min: 1, max: 9_999 })),
      zip: fc.integer({ min: 10_000, max: 99_999 }),
    });
    type Place = typeof place extends fc.Arbitrary<infer Value> ? Value : never;
    const key = ({ house, name, unit, zip }: Place) =>
      normaliseAddress(`${house} ${name} St${unit === null ? '' : ` Apt ${unit}`}, Springfield, IL ${zip}`);
    fc.assert(
      fc.property(place, place, (one, other) => {
        const { house, name, unit, zip } = other;
        for (const change of [{ house }, { name }, { unit }, { zip }]) {
          const isSame = JSON.stringify({ ...one, ...change }) === JSON.stringify(one);
          expect(key({ ...one, ...change }) === key(one)).toBe(isSame);
        }
      }),
    );
  });

  test('does not depend on case, width, accents, commas, spaces and invisible signs', () => {
    const noise = fc.array(fc.nat({ max: 9 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...SAME.flat()), noise, fc.boolean(), (address, choices, hasCommas) => {
        const gap = hasCommas ? ', ' : ' ';
        const written = Array.from(address.replaceAll(', ', gap), (letter, index) =>
          disturb(letter, choices[index % 40] ?? 0),
        ).join('');
        expect(normaliseAddress(` ${written} .`)).toBe(normaliseAddress(address));
      }),
      { numRuns: 1_000 },
    );
  });

  test('has 1 to 2,000 bytes, and differs for long addresses that differ', () => {
    const long = Array.from({ length: 499 }, (_, index) => String.fromCodePoint(0x3300 + (index % 80)));
    const [one, other] = ['A', 'B'].map((end) => normaliseAddress(`${long.join('')}${end}`));
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
    const signs = ['...', '???', '\u{1f3e0}', '\u{1f3e1}', '\u200b\u200b\u200b', '\u200c\u200c\u200c', '   '];
    const keys = signs.map(normaliseAddress);
    expect(new Set(keys).size).toBe(signs.length);
    expect(keys).not.toContain('');
  });
});
