import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Alert, fires, quiet, warning } from './alert.js';

export function publishAlerts(service: ServiceName): readonly Alert[] {
  const failures = (exchange: string, instance: string) =>
    `partner_publish_failures_total{partner_service="${service}",exchange="${exchange}",kind="k",instance="${instance}"}`;
  return [
    warning('PartnerPublishFailures', '2m', {
      // Broadcasts of changes may be lost.
      expr: `sum by (partner_service, exchange) (increase(partner_publish_failures_total{partner_service="${service}",exchange!="partner.webhook-changes"}[10m])) > 10`,
      summary: `The broker does not accept messages of ${service}`,
      description: `More than 10 messages of ${service} to the exchange {{ $labels.exchange }} have not counted as published in 10 minutes; they are retried.`,
      cases: [
        fires(
          { partner_service: service, exchange: 'partner.commands' },
          'both replicas fail occasionally',
          '20m',
          { [failures('partner.commands', 'a')]: '0+1x30', [failures('partner.commands', 'b')]: '0+1x30' },
        ),
        quiet('changes are not received, and there was a failure once', '20m', {
          [failures('partner.webhook-changes', 'a')]: '0+9x30',
          [failures('partner.commands', 'a')]: '4x30',
        }),
      ],
    }),
  ];
}
