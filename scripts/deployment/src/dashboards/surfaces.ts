import { type Dashboard, type Panel, stat, timeline } from './dashboard.js';
import { counted, httpQuestions, perSecond, processQuestion, quantile } from './panels.js';

function gateway(service: 'inbound-gateway' | 'installer-gateway', about: string): Dashboard {
  return {
    uid: `partner-${service}`,
    title: `Partner: ${service}`,
    about,
    questions: {
      ...httpQuestions(service),
      'Who is authenticated?': [
        timeline('Checks of API keys by outcome', 'ops', {
          about: 'Requests a second. Many refused at once: a key was revoked, or an attacker tries keys.',
          query: perSecond('partner_key_authentications_total', {
            where: `partner_service="${service}"`,
            by: ['outcome'],
          }),
        }),
        timeline('Limits', 'ops', {
          about: 'Requests a second that count toward a limit, by outcome and by whether Redis counted them.',
          query: {
            expr: perSecond('partner_rate_limit_decisions_total', {
              where: `partner_service="${service}"`,
              by: ['outcome', 'counted'],
            }),
            legend: '{{outcome}}, {{counted}}',
          },
        }),
      ],
      ...processQuestion(service),
    },
  };
}

export const INBOUND_GATEWAY = gateway(
  'inbound-gateway',
  'Submissions of selling companies: leads, appointments, jobs and their notes.',
);

export const INSTALLER_GATEWAY = gateway(
  'installer-gateway',
  'Reads and reports of installers: change feed, jobs, status, schedules.',
);

const CONSOLE_PANELS: readonly Panel[] = [
  stat('Streams of changes', 'short', {
    about: 'Pages of owners that are kept up to date.',
    query: 'sum(partner_console_change_streams)',
  }),
  stat('Sign-ins that wait', 'short', {
    about: 'Comparisons of passwords that are queued. Over 10: PartnerPasswordChecksQueue.',
    query: 'sum(partner_console_password_checks{state="waiting"})',
    limits: { warn: 5, alarm: 10 },
  }),
  stat('Refused for the queue, 1 h', 'short', {
    about: 'Sign-ins that received 503 because too many waited.',
    query: counted('partner_console_password_checks_refused_total', '1h'),
    limits: { warn: 1 },
  }),
  stat('Comparison of a password (p95)', 's', {
    about: 'Slow on purpose, some tens of milliseconds.',
    query: quantile(0.95, 'partner_console_password_check_seconds'),
    limits: { warn: 0.25, alarm: 1 },
  }),
  timeline('Sign-ins by outcome', 'short', {
    about: 'In 5 minutes. Many that fail: PartnerLoginsFail.',
    query: counted('partner_console_logins_total', '5m', { by: ['outcome'] }),
    width: 24,
  }),
];

export const CONSOLE: Dashboard = {
  uid: 'partner-console',
  title: 'Partner: console',
  about: 'The owners’ web app and its API.',
  questions: {
    ...httpQuestions('console'),
    'Can owners sign in?': CONSOLE_PANELS,
    ...processQuestion('console'),
  },
};
