/**
 * The codes of the states, possessions and military posts, each with its spellings.
 *
 * These are the name and the older abbreviations (USPS Publication 28, appendix B). The initials of a name of two words are a
 * variant of its code.
 */
const STATE_VARIANTS: Readonly<Record<string, string>> = {
  AA: 'ARMED FORCES AMERICAS',
  AE: 'ARMED FORCES EUROPE',
  AK: 'ALASKA',
  AL: 'ALABAMA, ALA',
  AP: 'ARMED FORCES PACIFIC',
  AR: 'ARKANSAS, ARK',
  AS: 'AMERICAN SAMOA',
  AZ: 'ARIZONA, ARIZ',
  CA: 'CALIFORNIA, CALIF, CAL',
  CO: 'COLORADO, COLO',
  CT: 'CONNECTICUT, CONN',
  DC: 'DISTRICT OF COLUMBIA, D C',
  DE: 'DELAWARE, DEL',
  FL: 'FLORIDA, FLA',
  FM: 'FEDERATED STATES OF MICRONESIA, MICRONESIA',
  GA: 'GEORGIA',
  GU: 'GUAM',
  HI: 'HAWAII',
  IA: 'IOWA',
  ID: 'IDAHO',
  IL: 'ILLINOIS, ILL',
  IN: 'INDIANA, IND',
  KS: 'KANSAS, KANS, KAN',
  KY: 'KENTUCKY',
  LA: 'LOUISIANA',
  MA: 'MASSACHUSETTS, MASS',
  MD: 'MARYLAND',
  ME: 'MAINE',
  MH: 'MARSHALL ISLANDS',
  MI: 'MICHIGAN, MICH',
  MN: 'MINNESOTA, MINN',
  MO: 'MISSOURI',
  MP: 'NORTHERN MARIANA ISLANDS, CNMI',
  MS: 'MISSISSIPPI, MISS',
  MT: 'MONTANA, MONT',
  NC: 'NORTH CAROLINA, N CAROLINA, N CAR, N C',
  ND: 'NORTH DAKOTA, N DAKOTA, N DAK, N D',
  NE: 'NEBRASKA, NEBR, NEB',
  NH: 'NEW HAMPSHIRE, N H',
  NJ: 'NEW JERSEY, N J',
  NM: 'NEW MEXICO, N MEX, N M',
  NV: 'NEVADA, NEV',
  NY: 'NEW YORK, N Y',
  OH: 'OHIO',
  OK: 'OKLAHOMA, OKLA',
  OR: 'OREGON, OREG, ORE',
  PA: 'PENNSYLVANIA, PENNA, PENN',
  PR: 'PUERTO RICO, P R',
  PW: 'PALAU',
  RI: 'RHODE ISLAND, R I',
  SC: 'SOUTH CAROLINA, S CAROLINA, S CAR, S C',
  SD: 'SOUTH DAKOTA, S DAKOTA, S DAK, S D',
  TN: 'TENNESSEE, TENN',
  TX: 'TEXAS, TEX',
  UT: 'UTAH',
  VA: 'VIRGINIA',
  VI: 'VIRGIN ISLANDS, US VIRGIN ISLANDS, USVI',
  VT: 'VERMONT',
  WA: 'WASHINGTON, WASH',
  WI: 'WISCONSIN, WISC, WIS',
  WV: 'WEST VIRGINIA, W VIRGINIA, W VA, W V',
  WY: 'WYOMING, WYO',
};

/** Each spelling of a state, its words separated by a space, with its code. */
export const STATES: ReadonlyMap<string, string> = new Map(
  Object.entries(STATE_VARIANTS).flatMap(([code, variants]) =>
    [code, ...variants.split(', ')].map((written) => [written, code] as const),
  ),
);

/** Number of words of the longest spelling of a state. */
export const MOST_STATE_WORDS = Math.max(...[...STATES.keys()].map((written) => written.split(' ').length));
