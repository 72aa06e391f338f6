import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normaliseAddress } from './normalise-address.js';

const SAME: readonly (readonly [string, string])[] = [
  ['123 Main Street, Springfield, IL 62701', '123 main st springfield il 62701'],
  ['123 Main St., Springfield, IL 62701', '123 MAIN STREET SPRINGFIELD IL 62701'],
  ['123 Main Strt, Springfield, Illinois 62701', '123 Main St, Springfield, IL, 62701'],
  ['123 Main St, Springfield, IL 62701-1234', '123 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 627011234', '123 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701 – 1234', '123 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701, USA', '123 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701, United States of America', '123 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701 U.S.A.', '123 Main St, Springfield, IL 62701'],
  ['  123   Main\tSt ,\nSpringfield , IL  62701 ', '123 Main St, Springfield, IL 62701'],
  ['１２３ Ｍａｉｎ Ｓｔ, Springfield, IL 62701', '123 Main St, Springfield, IL 62701'],
  ['45 N. Oak Avenue, Tulsa, OK 74101', '45 North Oak Ave, Tulsa, Oklahoma 74101'],
  ['45 Oak Ave N, Tulsa, OK 74101', '45 Oak Avenue North, Tulsa, OK 74101'],
  ['45 N.E. 5th Street, Miami, FL 33101', '45 Northeast 5th St, Miami, Florida 33101'],
  ['45 N E 5th St, Miami, FL 33101', '45 NE 5th St, Miami, FL 33101'],
  ['45 North East 5th St, Miami, FL 33101', '45 NE 5th St, Miami, FL 33101'],
  ['45 South West Temple, Salt Lake City, UT 84101', '45 SW Temple, Salt Lake City, Utah 84101'],
  ['9 Elm Dr Apt 4, Austin, TX 78701', '9 Elm Drive Apartment 4, Austin, TX 78701'],
  ['9 Elm Dr #4, Austin, TX 78701', '9 Elm Drive Apt 4, Austin, TX 78701'],
  ['9 Elm Dr Apt. #4, Austin, TX 78701', '9 Elm Dr Unit 4, Austin, TX 78701'],
  ['9 Elm Dr Apt No. 4, Austin, TX 78701', '9 Elm Dr # 4, Austin, TX 78701'],
  ['9 Elm Dr Apt 4-B, Austin, TX 78701', '9 Elm Dr Apt 4B, Austin, TX 78701'],
  ['9 Elm Dr Apt 4 B, Austin, TX 78701', '9 Elm Dr #4b, Austin, TX 78701'],
  ['9 Elm Dr Apt B-4, Austin, TX 78701', '9 Elm Dr Unit B 4, Austin, TX 78701'],
  ['9 Elm Dr APT4B, Austin, TX 78701', '9 Elm Dr Apt 4B, Austin, TX 78701'],
  ['9 Elm Dr Suite 200, Austin, TX 78701', '9 Elm Dr Ste. 200, Austin, Texas 78701'],
  ['9 Elm Dr Building 2 Floor 3, Austin, TX 78701', '9 Elm Dr Bldg 2 Fl 3, Austin, TX 78701'],
  ['9 Elm Dr, 2nd Floor, Austin, TX 78701', '9 Elm Dr Floor 2, Austin, TX 78701'],
  ['9 Elm Dr Lot #7, Austin, TX 78701', '9 Elm Dr Lot 7, Austin, TX 78701'],
  ['700 Ocean Boulevard, Santa Monica, California 90401', '700 Ocean Blvd, Santa Monica, CA 90401'],
  ['700 Sunset Pkwy, Reno, NV 89501', '700 Sunset Parkway, Reno, Nevada 89501'],
  ['12 Cherry Ter, Dover, DE 19901', '12 Cherry Terrace, Dover, Delaware 19901'],
  ['12 Mountain View Rd, Boise, ID 83702', '12 Mtn Vw Road, Boise, Idaho 83702'],
  ['12 Turtle Creek Xing, Dallas, TX 75201', '12 Turtle Crk Crossing, Dallas, TX 75201'],
  ['12 US Highway 50, Ely, NV 89301', '12 US Hwy 50, Ely, NV 89301'],
  ['12 Saint Charles Ave, New Orleans, LA 70130', '12 St. Charles Avenue, New Orleans, Louisiana 70130'],
  ["12 O'Brien Ln, Boston, MA 02108", '12 OBrien Lane, Boston, Massachusetts 02108'],
  ['12 O’Brien Ln, Boston, MA 02108', "12 O'Brien Ln, Boston, MA 02108"],
  ['12 Cañon Perdido St, Santa Barbara, CA 93101', '12 Canon Perdido St, Santa Barbara, CA 93101'],
  ['12 Plaza de San José, San José, CA 95113', '12 Plz de San Jose, San Jose, CA 95113'],
  ['12-A Main St, Salem, OR 97301', '12A Main St, Salem, Oregon 97301'],
  ['123½ Main St, Salem, OR 97301', '123 1/2 Main St, Salem, OR 97301'],
  ['P.O. Box 12, Salem, OR 97301', 'PO Box 12, Salem, OR 97301'],
  ['Post Office Box 12, Salem, OR 97301', 'POB 12, Salem, OR 97301'],
  ['Rural Route 2 Box 18, Salem, OR 97301', 'RR 2 Box 18, Salem, OR 97301'],
  ['1 Main St, Charleston, West Virginia 25301', '1 Main St, Charleston, WV 25301'],
  ['1 Main St, Washington, District of Columbia 20001', '1 Main St, Washington, D.C. 20001'],
  ['1 Main St, New York, New York 10001', '1 Main St, New York, NY 10001'],
  ['1 Johnson & Sons Way, Ames, IA 50010', '1 Johnson and Sons Wy, Ames, Iowa 50010'],
  ['1 Fort Hill Cir, Ft. Worth, TX 76102', '1 Ft Hill Circle, Fort Worth, TX 76102'],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['123 Main St, Springfield, IL 62701', '124 Main St, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701', '123 Main Ave, Springfield, IL 62701'],
  ['123 Main St, Springfield, IL 62701', '123 Main St, Springfield, IL 62702'],
  ['123 Main St, Springfield, IL 62701', '123 Main St, Springfield, MO 62701'],
  ['123 Main St, Springfield, IL 62701', '123 Main St Apt 1, Springfield, IL 62701'],
  ['9 Elm Dr Apt 4, Austin, TX 78701', '9 Elm Dr Apt 5, Austin, TX 78701'],
  ['9 Elm Dr Apt 4, Austin, TX 78701', '9 Elm Dr Apt 4B, Austin, TX 78701'],
  ['9 Elm Dr Apt 4, Austin, TX 78701', '9 Elm Dr Ste 4, Austin, TX 78701'],
  ['9 Elm Dr Apt 11, Austin, TX 78701', '9 Elm Dr Apt 1-1, Austin, TX 78701'],
  ['9 Elm Dr Bldg 4, Austin, TX 78701', '9 Elm Dr Apt 4, Austin, TX 78701'],
  ['9 Elm Dr Fl 4, Austin, TX 78701', '9 Elm Dr Rm 4, Austin, TX 78701'],
  ['45 N Oak Ave, Tulsa, OK 74101', '45 S Oak Ave, Tulsa, OK 74101'],
  ['45 N Oak Ave, Tulsa, OK 74101', '45 Oak Ave, Tulsa, OK 74101'],
  ['45 N Oak Ave, Tulsa, OK 74101', '45 Oak Ave N, Tulsa, OK 74101'],
  ['45 NE 5th St, Miami, FL 33101', '45 NW 5th St, Miami, FL 33101'],
  ['100 East St, Washington, DC 20001', '100 E St, Washington, DC 20001'],
  ['100 North Ave, Chicago, IL 60601', '100 N Ave, Chicago, IL 60601'],
  ['100 W East St, Chicago, IL 60601', '100 W E St, Chicago, IL 60601'],
  ['12 Oak Trail, Boise, ID 83702', '12 Oak Trails, Boise, ID 83702'],
  ['12 Park St, Boise, ID 83702', '12 Parks St, Boise, ID 83702'],
  ['12 Brook Ln, Boise, ID 83702', '12 Brooks Ln, Boise, ID 83702'],
  ['12 5th St, Boise, ID 83702', '12 5th Ave, Boise, ID 83702'],
  ['12 5th St, Boise, ID 83702', '125 th St, Boise, ID 83702'],
  ['123½ Main St, Salem, OR 97301', '1231/2 Main St, Salem, OR 97301'],
  ['123½ Main St, Salem, OR 97301', '123 Main St, Salem, OR 97301'],
  ['10-12 Main St, Salem, OR 97301', '1012 Main St, Salem, OR 97301'],
  ['PO Box 12, Salem, OR 97301', 'PO Box 13, Salem, OR 97301'],
  ['12 Avenue A, New York, NY 10009', '12 Avenue B, New York, NY 10009'],
  ['1 Main St, Kansas City, KS 66101', '1 Main St, Kansas City, MO 66101'],
  ['12 山田 St, Honolulu, HI 96801', '12 山口 St, Honolulu, HI 96801'],
  ['12 か St, Honolulu, HI 96801', '12 が St, Honolulu, HI 96801'],
  ['---', '???'],
];

describe('the key of an address', () => {
  test.each(SAME)('is the same for %j and %j', (one, other) => {
    expect(normaliseAddress(one)).toBe(normaliseAddress(other));
  });

  test.each(DIFFERENT)('keeps %j and %j apart', (one, other) => {
    expect(normaliseAddress(one)).not.toBe(normaliseAddress(other));
  });

  test('keeps different house numbers, units and ZIP codes apart, whatever they are', () => {
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

  test('is never empty and never throws', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3, maxLength: 500, unit: 'binary' }), (address) => {
        expect(normaliseAddress(address) === '' && address.normalize('NFKC').trim() !== '').toBe(false);
      }),
    );
  });
});
