import { type Alert, noData } from './alert.js';

const SESSION_REDIS = 'partner_console_session_redis_up';

/** What only the console can suffer from. */
export const CONSOLE_ALERTS: readonly Alert[] = [
  {
    name: 'PartnerSessionsUnavailable',
    severity: 'critical',
    expr: `min(${SESSION_REDIS}) < 1\nor absent(${SESSION_REDIS})`,
    for: '2m',
    summary: 'Owners cannot work in the console',
    description: 'A replica of the console has not reached Redis for 2 minutes: owners get 503 from it.',
    cases: [
      {
        when: 'one of two replicas does not reach Redis',
        series: {
          [`${SESSION_REDIS}{instance="a"}`]: '1x30',
          [`${SESSION_REDIS}{instance="b"}`]: '1x5 0x30',
        },
        at: '10m',
        firing: [{}],
      },
      noData(),
      {
        when: 'Redis was started again',
        series: { [SESSION_REDIS]: '1x5 0x1 1x30' },
        at: '10m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerPasswordChecksQueue',
    severity: 'warning',
    expr: 'max(partner_console_password_checks{state="waiting"}) > 10\nor absent(partner_console_password_checks{state="waiting"})',
    for: '2m',
    summary: 'Sign-ins to the console queue up',
    description: 'More than 10 comparisons of passwords have waited at one replica for 2 minutes.',
    cases: [
      {
        when: 'a flood of logins reaches one of two replicas',
        series: {
          'partner_console_password_checks{state="waiting",instance="a"}': '0x30',
          'partner_console_password_checks{state="waiting",instance="b"}': '0x5 40x30',
        },
        at: '10m',
        firing: [{}],
      },
      noData({ state: 'waiting' }),
      {
        when: 'a few wait',
        series: { 'partner_console_password_checks{state="waiting"}': '3x30' },
        at: '10m',
        firing: [],
      },
    ],
  },
  {
    name: 'PartnerLoginsFail',
    severity: 'warning',
    expr: 'sum(increase(partner_console_logins_total{outcome=~"wrong|limited"}[15m])) > 100',
    for: '0m',
    summary: 'Many sign-ins to the console fail',
    description: 'More than 100 logins have been refused in 15 minutes: someone may be guessing passwords.',
    cases: [
      {
        when: 'someone guesses, through two replicas',
        series: {
          'partner_console_logins_total{outcome="wrong",instance="a"}': '0+5x30',
          'partner_console_logins_total{outcome="limited",instance="b"}': '0+5x30',
        },
        at: '20m',
        firing: [{}],
      },
      {
        when: 'many people sign in, and some mistype',
        series: {
          'partner_console_logins_total{outcome="signed_in"}': '0+50x30',
          'partner_console_logins_total{outcome="wrong"}': '0+2x30',
        },
        at: '20m',
        firing: [],
      },
    ],
  },
];
