/** Addresses that leads come in for, each in spellings that stand for one place (decisions: Inbound). */
export const PLACES: readonly (readonly [string, ...string[]])[] = [
  [
    '12 Main Street, Austin, TX 78701',
    '12 main st austin tx 78701',
    '12 MAIN ST., AUSTIN, TEXAS 78701-1234',
    '\uff11\uff12 \uff2d\uff41\uff49\uff4e Street, Austin, TX 78701',
    '12  Main   Street,, Austin TX  78701',
  ],
  [
    '45 North Oak Avenue Apt 5, Tulsa, OK 74101',
    '45 N Oak Ave #5, Tulsa OK 74101-0001',
    '45 N. Oak Ave. Apartment 5, Tulsa, Oklahoma 74101',
    '45 n oak avenue unit 5 tulsa ok 74101',
  ],
  ['9 Elm Drive, Boise, ID 83702', '9 ELM DR BOISE IDAHO 83702', '9 Elm Dr., Boise, ID, 83702-0000'],
  [
    '3 Martin Luther King Blvd, Austin, TX 78701',
    '3 MLK Blvd, Austin, TX 78701',
    '3 M.L.K.\nBoulevard, Austin, TX 78701',
  ],
  ['3 MLK Blvd, Austin, TX'],
  ['3 MLK Jr Blvd, Austin, TX 78701'],
];

/** The place that a job's project stands at, when it has one. */
export const PROJECT_PLACE = {
  address: { line1: '700 Cedar Lane', city: 'Reno', state: 'NV', zip: '89501' },
  spellings: [
    '700 Cedar Lane, Reno, NV 89501',
    '700 cedar ln reno nv 89501',
    '700 Cedar Ln., Reno, Nevada 89501-4455',
  ],
} as const;

/** All places by their number; the last one is that of the project. */
export const ALL_PLACES: readonly (readonly string[])[] = [...PLACES, PROJECT_PLACE.spellings];

/** The number of the project's place. */
export const PROJECT_PLACE_INDEX = PLACES.length;
