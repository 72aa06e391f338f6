import { fc } from '@partner/test-kit/fast-check';

/** The parts of a place, each with its spellings. */
const PARTS_WRITTEN = {
  house: [['12'], ['120'], ['12A', '12-A'], ['112-10', '112–10'], ['123½', '123 1/2', '123-1/2'], ['1231']],
  before: [
    [''],
    ['N', 'North', 'No.'],
    ['E', 'East'],
    ['NE', 'Northeast', 'N.E.'],
    ['SW', 'South West', 'S. W.'],
  ],
  name: [
    ['Main'],
    ['5th', 'Fifth'],
    ['21st', 'Twenty-First', 'Twenty First'],
    ['125th', 'One Hundred Twenty-Fifth'],
    ['Saint Charles'],
    ['Charles'],
    ['Lake Shore', 'Lk Shr'],
    ['Green Bay', 'Grn Bay'],
    ['Park', 'Prk'],
    ['Court', 'Ct'],
    ['West'],
    ['W'],
    ['A'],
    ['B'],
    ['OBrien', "O'Brien", 'O’Brien', 'O Brien'],
    ['Cañon', 'Canon', 'Can\u0303on'],
  ],
  suffix: [
    ['St', 'Street', 'St.', 'Strt'],
    ['Ave', 'Avenue', 'Av.'],
    ['Ln', 'Lane'],
    ['Trl', 'Trail', 'Trails'],
  ],
  after: [[''], ['S', 'South', 'So.'], ['NW', 'Northwest', 'N.W.']],
  unit: [
    [''],
    ['Apt 4', 'Apartment 4', '#4', 'Unit #4', 'Apt. No. 4', 'APT4'],
    ['Apt 4B', '#4-B', 'Unit 4 B'],
    ['Apt B4', 'Apt B-4', '# B4'],
    ['Apt 14', '#14'],
    ['Ste 4', 'Suite #4'],
    ['Fl 4', '4th Floor', 'Floor 4', 'Fourth Fl.'],
    ['Bldg 4', 'Building 4'],
    ['Bldg 4 Apt 5', 'Apt 5, Building 4', 'Building 4, #5'],
    ['Bldg 5 Apt 4', 'Unit 4 Bldg 5'],
  ],
  city: [
    ['Troy'],
    ['Fort Worth', 'Ft. Worth'],
    ['East Lansing', 'E. Lansing'],
    ['Mount Vernon', 'Mt Vernon'],
  ],
  state: [
    ['NY', 'New York', 'N.Y.'],
    ['NE', 'Nebraska', 'Neb.'],
    ['FL', 'Florida', 'Fla.'],
  ],
  zip: [
    ['12180', '12180-1234', '121801234'],
    ['12181', '12181-2180'],
  ],
} as const;

/** Names of the parts, in the order in which they are written. */
export const PARTS = [
  'house',
  'before',
  'name',
  'suffix',
  'after',
  'unit',
  'city',
  'state',
  'zip',
] as const satisfies readonly (keyof typeof PARTS_WRITTEN)[];

/** The value of each part. */
type Place = Readonly<Record<(typeof PARTS)[number], number>>;

const valueOf = (part: (typeof PARTS)[number]) => fc.nat({ max: PARTS_WRITTEN[part].length - 1 });

/** Any place. */
export const place: fc.Arbitrary<Place> = fc.record({
  house: valueOf('house'),
  before: valueOf('before'),
  name: valueOf('name'),
  suffix: valueOf('suffix'),
  after: valueOf('after'),
  unit: valueOf('unit'),
  city: valueOf('city'),
  state: valueOf('state'),
  zip: valueOf('zip'),
});

/** The spelling of each part, the separators, and the positions of the unit and the country. */
export const style = fc.record({
  choices: fc.array(fc.nat({ max: 60 }), { minLength: PARTS.length, maxLength: PARTS.length }),
  gap: fc.constantFrom(', ', ' ', '\n', ' , ', '，', ' | '),
  order: fc.constantFrom('unit last', 'unit first', 'unit after the street'),
  country: fc.constantFrom('', ', USA', ' U.S.A.', '\nUnited States'),
});

/** Writes a place in one style. */
export function writeAddress(
  of: Place,
  { choices, gap, order, country }: typeof style extends fc.Arbitrary<infer Style> ? Style : never,
): string {
  const text = (part: (typeof PARTS)[number]) => {
    const written = PARTS_WRITTEN[part][of[part]] ?? [];
    return written[(choices[PARTS.indexOf(part)] ?? 0) % written.length] ?? '';
  };
  const street = [text('house'), text('before'), text('name'), text('suffix'), text('after')]
    .filter((word) => word !== '')
    .join(' ');
  const unit = text('unit');
  const parts = [
    order === 'unit first' ? unit : '',
    street,
    order === 'unit after the street' ? unit : '',
    text('city'),
    `${text('state')} ${text('zip')}`,
    order === 'unit last' ? unit : '',
  ];
  return `${parts.filter((part) => part !== '').join(gap)}${country}`;
}
