import type { Dashboard, Panel } from './dashboard.js';
import { counted, httpQuestions, perSecond, processQuestion, quantile } from './panels.js';

/** The dashboard of a gateway: a surface for the holders of API keys. */
function gateway(service: 'inbound-gateway' | 'installer-gateway', about: string): Dashboard {
  return {
    uid: `partner-${service}`,
    title: `Partner: ${service}`,
    about,
    questions: [
      ...httpQuestions(service),
      {
        question: 'Who gets in?',
        panels: [
          {
            kind: 'timeline',
            title: 'API keys by how they were judged',
            about: 'Requests a second. Many refused at once: a key was revoked, or someone tries keys.',
            unit: 'ops',
            queries: [
              {
                expr: perSecond('partner_key_authentications_total', {
                  where: `partner_service="${service}"`,
                  by: ['outcome'],
                }),
                legend: '{{outcome}}',
              },
            ],
          },
          {
            kind: 'timeline',
            title: 'Limits',
            about:
              'Requests a second that were put to a limit, by outcome and by whether Redis counted them.',
            unit: 'ops',
            queries: [
              {
                expr: perSecond('partner_rate_limit_decisions_total', {
                  where: `partner_service="${service}"`,
                  by: ['outcome', 'counted'],
                }),
                legend: '{{outcome}}, {{counted}}',
              },
            ],
          },
        ],
      },
      processQuestion(service),
    ],
  };
}

export const INBOUND_GATEWAY = gateway(
  'inbound-gateway',
  'What selling companies hand in: leads, appointments, jobs and their notes.',
);

export const INSTALLER_GATEWAY = gateway(
  'installer-gateway',
  'What installers read and report: change feed, jobs, status, schedules.',
);

const CONSOLE_PANELS: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Streams of changes',
    about: 'Pages of owners that are kept up to date.',
    unit: 'short',
    queries: [{ expr: 'sum(partner_console_change_streams)' }],
  },
  {
    kind: 'stat',
    title: 'Sign-ins that wait',
    about: 'Comparisons of passwords that are queued. Over 10: PartnerPasswordChecksQueue.',
    unit: 'short',
    queries: [{ expr: 'sum(partner_console_password_checks{state="waiting"})' }],
    warnAt: 5,
    alarmAt: 10,
  },
  {
    kind: 'stat',
    title: 'Refused for the queue, 1 h',
    about: 'Sign-ins that got 503 because too many waited.',
    unit: 'short',
    queries: [{ expr: counted('partner_console_password_checks_refused_total', '1h') }],
    warnAt: 1,
  },
  {
    kind: 'stat',
    title: 'Comparison of a password (p95)',
    about: 'Slow on purpose, some tens of milliseconds.',
    unit: 's',
    queries: [{ expr: quantile(0.95, 'partner_console_password_check_seconds') }],
    warnAt: 0.25,
    alarmAt: 1,
  },
  {
    kind: 'timeline',
    title: 'Sign-ins by outcome',
    about: 'In 5 minutes. Many that fail: PartnerLoginsFail.',
    unit: 'short',
    queries: [
      { expr: counted('partner_console_logins_total', '5m', { by: ['outcome'] }), legend: '{{outcome}}' },
    ],
    width: 24,
  },
];

export const CONSOLE: Dashboard = {
  uid: 'partner-console',
  title: 'Partner: console',
  about: 'The owners’ web app and its API.',
  questions: [
    ...httpQuestions('console'),
    { question: 'Do owners get in?', panels: CONSOLE_PANELS },
    processQuestion('console'),
  ],
};
