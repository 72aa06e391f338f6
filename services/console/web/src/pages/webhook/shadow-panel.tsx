import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { SHADOW_LIMITS } from '@partner/proto-contracts/resources/shadow/shadow';
import { type SubmitEvent, useState } from 'react';
import { violationsByField } from '../../api/api-error.js';
import { useShadow, useStartShadow } from '../../api/shadow.js';
import type { Webhook } from '../../api/webhooks.js';
import { FormFailure } from '../../parts/form-failure.js';
import { OwnerOnly } from '../../parts/owner-only.js';
import { Panel } from '../../parts/panel.js';
import { QueryView } from '../../parts/query-view.js';
import { AddressField } from './address-field.js';
import { hasOtherHost, headersViolation, type HeaderValues, HeaderValuesForHost } from './header-values.js';
import { ShadowComparison } from './shadow-comparison.js';

/** Mirrors deliveries to another URL, and compares both before the owner switches to it. */
export function ShadowPanel({ webhook }: { readonly webhook: Webhook }) {
  const found = useShadow(webhook.id);
  return (
    <Panel title="Try a new address">
      <Stack gap="md">
        <Text size="sm">
          Sends a test, then a copy of each delivery to another URL, while this webhook works as before.
          Copies have the header x-svc-shadow: your server must respond, but not act on them.
        </Text>
        <QueryView
          data={found.data}
          error={found.error}
          label="the comparison"
          onRetry={() => void found.refetch()}
        >
          {({ shadow }) => (
            <>
              {shadow !== null && <ShadowComparison webhook={webhook} shadow={shadow} />}
              {shadow?.state !== 'testing' && shadow?.state !== 'running' && (
                <OwnerOnly>
                  <StartForm webhook={webhook} triedUrl={shadow?.state === 'refused' ? shadow.url : ''} />
                </OwnerOnly>
              )}
            </>
          )}
        </QueryView>
      </Stack>
    </Panel>
  );
}

function StartForm({ webhook, triedUrl }: { readonly webhook: Webhook; readonly triedUrl: string }) {
  const start = useStartShadow(webhook.id);
  const [url, setUrl] = useState(triedUrl);
  const [percent, setPercent] = useState<string | number>(100);
  const [hours, setHours] = useState<string | number>(SHADOW_LIMITS.defaultHours);
  const [headerValues, setHeaderValues] = useState<HeaderValues>({});
  const violations = violationsByField(start.error);
  const asksHeaders = webhook.headerNames.length > 0 && hasOtherHost(webhook.url, url);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const entered = asksHeaders ? webhook.headerNames.filter((name) => headerValues[name]) : [];
    const headers = entered.map((name) => ({ name, value: headerValues[name] ?? '' }));
    const shadow = { url, percent: Number(percent), hours: Number(hours) };
    start.run({ ...shadow, ...(headers.length > 0 && { headers }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <AddressField
          label="URL to try"
          sent="Copies"
          value={url}
          onChange={setUrl}
          violation={violations['url']}
        />
        {asksHeaders && (
          <HeaderValuesForHost
            names={webhook.headerNames}
            values={headerValues}
            onChange={setHeaderValues}
            withoutValue="Enter them for this host. Copies have no header without a value."
            violation={headersViolation(violations)}
          />
        )}
        <Group align="flex-start" gap="sm">
          <NumberInput
            label="Share of deliveries in %"
            value={percent}
            onChange={setPercent}
            min={1}
            max={100}
            allowDecimal={false}
            error={violations['percent']}
          />
          <NumberInput
            label="Duration in hours"
            value={hours}
            onChange={setHours}
            min={1}
            max={SHADOW_LIMITS.hours}
            allowDecimal={false}
            error={violations['hours']}
          />
        </Group>
        <FormFailure error={start.error} />
        <Group>
          <Button
            type="submit"
            variant="default"
            disabled={url === '' || percent === '' || hours === ''}
            loading={start.isRunning}
          >
            Start mirroring
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
