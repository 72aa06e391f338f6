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
                  <StartForm
                    webhookId={webhook.id}
                    triedUrl={shadow?.state === 'refused' ? shadow.url : ''}
                  />
                </OwnerOnly>
              )}
            </>
          )}
        </QueryView>
      </Stack>
    </Panel>
  );
}

function StartForm({ webhookId, triedUrl }: { readonly webhookId: string; readonly triedUrl: string }) {
  const start = useStartShadow(webhookId);
  const [url, setUrl] = useState(triedUrl);
  const [percent, setPercent] = useState<string | number>(100);
  const [hours, setHours] = useState<string | number>(SHADOW_LIMITS.defaultHours);
  const violations = violationsByField(start.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    start.run({ url, percent: Number(percent), hours: Number(hours) });
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
