/** One field of the requests of one operation: values that are taken, and values that are refused with a 400 that names it. */
export interface FieldCase {
  /** The operation's id. */
  readonly operation: string;
  readonly field: string;
  readonly place?: 'body' | 'query' | 'header';
  /** Sent beside the field, so that a value is valid. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** `undefined` leaves the field out. */
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
}

const letters = (count: number) => 'x'.repeat(count);
const houses = (count: number) => '🏠'.repeat(count);
/** An address of so many characters that is an email address in every other respect. */
const emailOf = (length: number) => {
  const rest = `.${letters(60)}.${letters(60)}.example`;
  return `${letters(60)}@${letters(length - rest.length - 61)}${rest}`;
};
const fromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
const MINUTE = 60;
const DAY = 86_400;

const WRONG_DATE_TIMES = [
  '2026-09-02',
  '2026-09-02T15:00:00',
  '2026-09-02T15:00Z',
  '2026-09-02T15:00:60Z',
  '2026-09-02T15:00:00-00:00',
  '2026-09-02T15:00:00.5-05:00',
  '2026-02-30T15:00:00Z',
  '2026-09-02 15:00:00Z',
  'tomorrow',
  1_788_000_000,
  undefined,
];
const OTHER_YEARS = ['1999-12-31T23:59:59Z', '2101-01-01T00:00:00Z'];
const WRONG_VERSIONS = [0, -1, 1.5, '1', null, undefined];
const WRONG_PAGE_SIZES = ['0', '-1', '1.5', 'x', ''];
const WRONG_NOTES = [7, null];

/** `first` keeps the keys of one operation apart from those of the others, with which they share their owner. */
const idempotencyKey = (operation: string, first: string): FieldCase => ({
  operation,
  field: 'Idempotency-Key',
  place: 'header',
  taken: [first, `${first}${'Az09._:-'.repeat(16).slice(1)}`],
  refused: [letters(129), 'a b', 'a/b', 'a,b', '"quoted"', 'é'],
});
const requiredIdempotencyKey = (operation: string, first: string): FieldCase => {
  const { refused, ...rest } = idempotencyKey(operation, first);
  return { ...rest, refused: [...refused, undefined] };
};

/** The fields of the Resources part and the boundaries of the Limits part, in numbers of the specification's own. */
export const FIELD_CASES: readonly FieldCase[] = [
  {
    operation: 'createLead',
    field: 'fullName',
    taken: ['x', letters(120), houses(120)],
    refused: ['', ' ', letters(121), houses(121), 7, null, undefined],
  },
  {
    operation: 'createLead',
    field: 'email',
    taken: ['a@b.co', "a/b%c`d!#$&'*+=?^_{|}~-@b.example", '"a b"@b.example', emailOf(254)],
    refused: [
      emailOf(255),
      `${letters(65)}@b.example`,
      '.a@b.example',
      'a@localhost',
      'zoë@b.example',
      '',
      null,
      undefined,
    ],
  },
  {
    operation: 'createLead',
    field: 'phone',
    taken: [letters(7), letters(40)],
    refused: [letters(6), ' '.repeat(7), letters(41), null, undefined],
  },
  {
    operation: 'createLead',
    field: 'address',
    taken: ['1 A', letters(500)],
    refused: ['1A', '   ', letters(501), null, undefined],
  },
  {
    operation: 'createLead',
    field: 'smsConsent',
    taken: [true, false, undefined],
    refused: ['yes', 1],
  },
  { operation: 'bookAppointment', field: 'leadId', taken: [], refused: ['', 7, null, undefined] },
  { operation: 'bookAppointment', field: 'projectId', taken: [undefined], refused: ['', 7] },
  {
    operation: 'bookAppointment',
    field: 'startsAt',
    taken: [
      '2026-09-02T15:00:00Z',
      '2026-09-02t15:00:00+00:00',
      '2026-09-02T15:00:00.5z',
      '2026-09-02T15:00:00.123456Z',
    ],
    refused: [...WRONG_DATE_TIMES, ...OTHER_YEARS],
  },
  {
    operation: 'bookAppointment',
    field: 'endsAt',
    taken: ['2026-09-02T15:00:00.001Z'],
    refused: [...WRONG_DATE_TIMES, ...OTHER_YEARS, '2026-09-02T15:00:00Z', '2026-09-02T14:00:00Z'],
  },
  {
    operation: 'bookAppointment',
    field: 'notes',
    taken: [undefined, '', ' ', letters(500), houses(500)],
    refused: [letters(501), houses(501), ...WRONG_NOTES],
  },
  {
    operation: 'bookAppointment',
    field: 'idempotencyKey',
    taken: [letters(8), letters(160)],
    refused: [letters(7), ' '.repeat(8), letters(161), 7, null, undefined],
  },
  {
    operation: 'listContractorJobs',
    field: 'take',
    place: 'query',
    taken: ['1', '200', undefined],
    refused: [...WRONG_PAGE_SIZES, '201'],
  },
  {
    operation: 'appendJobNote',
    field: 'note',
    taken: ['x', letters(2_000), houses(2_000)],
    refused: ['', ' \n', letters(2_001), houses(2_001), ...WRONG_NOTES, undefined],
  },
  idempotencyKey('createLead', 'a'),
  idempotencyKey('appendJobNote', 'b'),
  {
    operation: 'listJobFeed',
    field: 'limit',
    place: 'query',
    taken: ['1', '100', undefined],
    refused: [...WRONG_PAGE_SIZES, '101'],
  },
  {
    operation: 'listTechnicians',
    field: 'limit',
    place: 'query',
    taken: ['1', '2000', undefined],
    refused: [...WRONG_PAGE_SIZES, '2001'],
  },
  {
    operation: 'recordStatusEvent',
    field: 'status',
    taken: [],
    refused: ['ASSIGNED', 'CANCELLED', 'DONE', 'acknowledged', null, undefined],
  },
  {
    operation: 'recordStatusEvent',
    field: 'occurredAt',
    taken: [fromNow(4 * MINUTE), fromNow(-30 * DAY + 60 * MINUTE)],
    refused: [...WRONG_DATE_TIMES, fromNow(65 * MINUTE), fromNow(-30 * DAY - MINUTE)],
  },
  {
    operation: 'recordStatusEvent',
    field: 'note',
    taken: [undefined, '', ' ', letters(2_000), houses(2_000)],
    refused: [letters(2_001), houses(2_001), ...WRONG_NOTES],
  },
  {
    operation: 'recordStatusEvent',
    field: 'blockerCode',
    beside: { status: 'BLOCKED' },
    taken: [],
    refused: ['RAIN', '', null, undefined],
  },
  {
    operation: 'recordStatusEvent',
    field: 'blockerCode',
    beside: { status: 'ACKNOWLEDGED' },
    taken: [],
    refused: ['WEATHER'],
  },
  { operation: 'recordStatusEvent', field: 'expectedVersion', taken: [], refused: WRONG_VERSIONS },
  requiredIdempotencyKey('recordStatusEvent', 'c'),
  {
    operation: 'setSchedule',
    field: 'status',
    taken: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
    refused: ['UNSCHEDULED', 'LATER', null, undefined],
  },
  {
    operation: 'setSchedule',
    field: 'startsAt',
    taken: ['2026-09-02T15:00:00Z', '2026-09-02T15:00:00.25+00:00'],
    refused: [...WRONG_DATE_TIMES, ...OTHER_YEARS],
  },
  {
    operation: 'setSchedule',
    field: 'endsAt',
    taken: ['2026-12-02T15:00:00Z'],
    refused: [...WRONG_DATE_TIMES, ...OTHER_YEARS],
  },
  {
    operation: 'setSchedule',
    field: 'timeZone',
    taken: ['America/Chicago', 'UTC', 'Pacific/Honolulu', 'Europe/Kyiv', 'US/Central', 'EST', 'Etc/GMT+5'],
    refused: [
      'Mars/Olympus',
      '+05:00',
      'PST',
      'SystemV/CST6CDT',
      'Factory',
      '',
      'america/chicago',
      null,
      undefined,
    ],
  },
  { operation: 'setSchedule', field: 'expectedVersion', taken: [], refused: WRONG_VERSIONS },
  requiredIdempotencyKey('setSchedule', 'd'),
  {
    operation: 'replaceAssignments',
    field: 'membershipIds',
    taken: [[]],
    refused: ['mem_1', null, undefined],
  },
  { operation: 'replaceAssignments', field: 'expectedVersion', taken: [], refused: WRONG_VERSIONS },
  requiredIdempotencyKey('replaceAssignments', 'e'),
];
