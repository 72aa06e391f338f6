import { type Alert, critical, fires, noData, quiet, warning } from './alert.js';

const SESSION_REDIS = 'partner_console_session_redis_up';
const EMAILS = 'partner_notification_emails_total';

export const CONSOLE_ALERTS: readonly Alert[] = [
  critical('PartnerSessionsUnavailable', '2m', {
    expr: `min(${SESSION_REDIS}) < 1\nor absent(${SESSION_REDIS})`,
    summary: 'Owners cannot work in the console',
    description: 'A replica of the console has not reached Redis for 2 minutes: it returns 503 to owners.',
    cases: [
      fires({}, 'one of two replicas does not reach Redis', '10m', { [SESSION_REDIS]: ['1x30', '1x5 0x30'] }),
      noData(),
      quiet('Redis was restarted', '10m', { [SESSION_REDIS]: '1x5 0x1 1x30' }),
    ],
  }),
  warning('PartnerPasswordChecksQueue', '2m', {
    expr: 'max(partner_console_password_checks{state="waiting"}) > 10\nor absent(partner_console_password_checks{state="waiting"})',
    summary: 'Sign-ins to the console queue up',
    description: 'More than 10 comparisons of passwords have waited at one replica for 2 minutes.',
    cases: [
      fires({}, 'a flood of logins reaches one of two replicas', '10m', {
        'partner_console_password_checks{state="waiting"}': ['0x30', '0x5 40x30'],
      }),
      noData({ state: 'waiting' }),
      quiet('a few wait', '10m', { 'partner_console_password_checks{state="waiting"}': '3x30' }),
    ],
  }),
  warning('PartnerLoginsFail', '0m', {
    expr: 'sum(increase(partner_console_logins_total{outcome=~"wrong|provider_refused|limited"}[15m])) > 100',
    summary: 'Many sign-ins to the console fail',
    description: 'More than 100 logins have been refused in 15 minutes: someone may be guessing passwords.',
    cases: [
      fires({}, 'someone guesses, through two replicas', '20m', {
        'partner_console_logins_total{outcome="wrong",instance="a"}': '0+5x30',
        'partner_console_logins_total{outcome="limited",instance="b"}': '0+5x30',
      }),
      quiet('many people sign in, and some mistype', '20m', {
        'partner_console_logins_total{outcome="signed_in"}': '0+50x30',
        'partner_console_logins_total{outcome="wrong"}': '0+2x30',
      }),
    ],
  }),
  warning('PartnerNotificationEmailsFail', '0m', {
    expr: `sum(increase(${EMAILS}{outcome="failed"}[30m])) > 3\nunless sum(increase(${EMAILS}{outcome="sent"}[30m])) > 0`,
    summary: 'Owners receive no emails about failing webhooks',
    description:
      'In 30 minutes the mail server has accepted no notification email of the console, and attempts failed.',
    cases: [
      fires({}, 'the mail server is down', '30m', { [`${EMAILS}{outcome="failed"}`]: '0+1x6 6+1x30' }),
      quiet('the mail server was restarted', '30m', {
        [`${EMAILS}{outcome="failed"}`]: '0+1x5 5x30',
        [`${EMAILS}{outcome="sent"}`]: '3x5 4x30',
      }),
    ],
  }),
];
