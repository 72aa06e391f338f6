import type { ServiceName } from '@partner/local-stack/stack/services';

/** What a service promises: over 30 days at least this share of its requests or deliveries is good. */
interface Objective {
  readonly slo: 'availability' | 'latency' | 'delivery';
  readonly target: number;
  /** A second's requests or deliveries, and the bad ones among them, as PromQL over 5 minutes. */
  readonly events: string;
  readonly bad: string;
}

const SLO_SERIES = {
  events: 'partner:slo_events:rate5m',
  bad: 'partner:slo_bad:rate5m',
  budget: 'partner:slo_budget',
} as const;

/** The interval in which Prometheus evaluates the rules, so that a sum of a second's bad ones tells how many there were. */
export const RULES_INTERVAL_SECONDS = 60;

const DELIVERY = 'partner_webhook_delivery_seconds_bucket';

/** Objectives of a service with HTTP: 99.9 % without 5xx, 99 % within this many seconds. */
function ofRequests(service: ServiceName, seconds: 0.5 | 1): readonly Objective[] {
  const count = `partner_http_request_duration_seconds_count{partner_service="${service}"`;
  const bucket = `partner_http_request_duration_seconds_bucket{partner_service="${service}"`;
  const le = seconds === 1 ? 'le=~"1|1.0"' : `le="${seconds}"`;
  const requests = `sum(rate(${count}}[5m]))`;
  return [
    {
      slo: 'availability',
      target: 0.999,
      events: requests,
      bad: `sum(rate(${count},status_class="5xx"}[5m])) or 0 * ${requests}`,
    },
    {
      slo: 'latency',
      target: 0.99,
      events: requests,
      bad: `sum(rate(${bucket},le="+Inf"}[5m])) - sum(rate(${bucket},${le}}[5m]))`,
    },
  ];
}

/** Of the deliveries that succeed at the first attempt, 99 % within 10 s of their event, for each class of company. */
const OF_DELIVERIES: readonly Objective[] = [
  {
    slo: 'delivery',
    target: 0.99,
    events: `sum by (company_class) (rate(${DELIVERY}{attempt="first",le="+Inf"}[5m]))`,
    bad: [
      `sum by (company_class) (rate(${DELIVERY}{attempt="first",le="+Inf"}[5m]))`,
      `- sum by (company_class) (rate(${DELIVERY}{attempt="first",le=~"10|10.0"}[5m]))`,
    ].join('\n  '),
  },
];

const OBJECTIVES: Readonly<Record<ServiceName, readonly Objective[]>> = {
  'inbound-gateway': ofRequests('inbound-gateway', 0.5),
  'installer-gateway': ofRequests('installer-gateway', 0.5),
  console: ofRequests('console', 1),
  'job-state': OF_DELIVERIES,
  'webhook-dispatcher': [],
};

export function recordingsOf(service: ServiceName) {
  return OBJECTIVES[service].flatMap(({ slo, target, events, bad }) => {
    const labels = { slo, partner_service: service };
    const budget = `vector(${Number((1 - target).toFixed(6))})`;
    return [
      { record: SLO_SERIES.events, expr: events, labels },
      { record: SLO_SERIES.bad, expr: bad, labels },
      { record: SLO_SERIES.budget, expr: budget, labels },
    ];
  });
}

/**
 * True while the budget is spent this many times too fast, over a long window, and still over a short one, so that the alert ends soon
 * after the cause. A handful of bad requests of a quiet night is not enough.
 */
function burns(factor: number, long: string, short: string): string {
  const isOver = (
    span: string,
  ) => `sum_over_time(${SLO_SERIES.bad}{$service}[${span}]) / sum_over_time(${SLO_SERIES.events}{$service}[${span}])
  >     > on (namespace, partner_service, slo) group_left () ${factor} * ${SLO_SERIES.budget}{$service}`;
  return `(${isOver(long)}
  >   and ${isOver(short)}
  >   and sum_over_time(${SLO_SERIES.bad}{$service}[${long}]) * ${RULES_INTERVAL_SECONDS} > 10)`;
}

type Counters = (good: string, bad: string) => string;

const REQUESTS = 'partner_http_request_duration_seconds';
const OF = '$service,route="/x",method="GET",status_class=';

const requests: Counters = (good, bad) => `
    ${REQUESTS}_count{${OF}"2xx"}: ${good}
    ${REQUESTS}_count{${OF}"5xx"}: ${bad}`;

const SLOW_REQUESTS = `
    ${REQUESTS}_count{${OF}"2xx"}: 0+100x90
    ${REQUESTS}_bucket{${OF}"2xx",le="0.5"}: 0+75x90
    ${REQUESTS}_bucket{${OF}"2xx",le="1"}: 0+75x90
    ${REQUESTS}_bucket{${OF}"2xx",le="+Inf"}: 0+100x90`;

const FIRST_ATTEMPT = `${DELIVERY}{company_class="sales",attempt="first",instance=`;

const deliveries: Counters = (good, bad) => `
    ${FIRST_ATTEMPT}"in time",le="10"}: ${good}
    ${FIRST_ATTEMPT}"in time",le="+Inf"}: ${good}
    ${FIRST_ATTEMPT}"late",le="10"}: 0x1000
    ${FIRST_ATTEMPT}"late",le="+Inf"}: ${bad}`;

/**
 * Alerts about the error budgets of a service: the windows and factors of Google's Site Reliability Workbook. The fast one pages, at 2 %
 * of the budget in an hour or 5 % in six. The other is for the same day, at 10 % in a day or in three.
 */
export function objectiveAlerts(service: ServiceName): string {
  const [first] = OBJECTIVES[service];
  if (first === undefined) return '';
  const { slo, target } = first;
  const isDelivery = slo === 'delivery';
  const series = isDelivery ? deliveries : requests;
  const labels = `{$service,slo="${slo}"${isDelivery ? ',company_class="sales"' : ''}}`;
  /** A thousand a minute: bad ones are the budget times the factor, later there are none. */
  const spending = (factor: number, minutes: number, goodMinutes = 0) => {
    const bad = Math.round(1000 * (1 - target) * factor);
    const good = 1000 - bad;
    return goodMinutes === 0
      ? series(`0+${good}x${minutes}`, `0+${bad}x${minutes}`)
      : series(
          `0+${good}x${minutes - 1} ${good * minutes}+${good}x${goodMinutes}`,
          `0+${bad}x${minutes - 1} ${bad * minutes}x${goodMinutes}`,
        );
  };
  const slow = `  fires at 75m {$service,slo="latency"}: one in four is slow${SLOW_REQUESTS}\n`;
  return `
critical PartnerBudgetBurnsFast 2m: $name breaks a promise
  The {{ $labels.slo }} of $name is so bad that, at this rate, the errors allowed in 30 days are used up within 5 days.
  > ${burns(14.4, '1h', '5m')}
  > or ${burns(6, '6h', '30m')}
  fires at 75m ${labels}: the budget of 20 hours is spent in each${spending(20, 90)}
  fires at 75m ${labels}: that of 10 hours is spent in each${spending(10, 90)}
${isDelivery ? '' : slow}  quiet at 100m: it was bad for an hour, and is good again${spending(20, 60, 60)}
  quiet at 75m: that of half an hour is spent in each${spending(0.5, 90)}
  quiet at 100m: the only few of a quiet night are bad${series('0x120', '0x80 0+1x5 5x40')}
warning PartnerBudgetBurns 15m: $name will break a promise
  The {{ $labels.slo }} of $name is so bad that, at this rate, the errors allowed in 30 days are used up before the 30 days are over.
  > ${burns(3, '1d', '2h')}
  > or ${burns(1, '3d', '6h')}
  fires at 75m ${labels}: the budget of two hours is spent in each${spending(2, 90)}
  quiet at 75m: that of half an hour is spent in each${spending(0.5, 90)}
`;
}
