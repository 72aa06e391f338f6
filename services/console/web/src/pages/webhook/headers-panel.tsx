import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { CUSTOM_HEADER_LIMITS } from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { Webhook } from '../../api/operations.js';
import { useAction } from '../../api/hooks.js';
import { Form, useFields } from '../../parts/form.js';
import { Panel } from '../../parts/page.js';
import { Facts } from '../../parts/facts.js';

/** Custom headers of a subscription: their names, and a form that sets one. Values are never shown. */
export function HeadersPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, headerNames } = webhook;
  const update = useAction('updateWebhook', { done: 'Changes saved' });
  const { values, violations, field, clear } = useFields({ name: '', value: '' }, update.error);
  const name = values.name.trim();
  const set = (header: { readonly name: string; readonly value: string | null }, onSuccess?: () => void) =>
    update.run({ params: { id }, body: { headers: [header] } }, { ...(onSuccess && { onSuccess }) });
  return (
    <Panel title="Custom headers">
      <Stack gap="md">
        <Text size="sm">
          Sent with every delivery and test, for example a key of your API gateway. Values are stored
          encrypted and not shown again.
        </Text>
        {headerNames.length > 0 && (
          <Facts
            facts={headerNames.map((header) => [
              header,
              <Group key={header} gap="sm">
                <span>Hidden</span>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Remove the header ${header}`}
                  disabled={update.isRunning}
                  onClick={() => set({ name: header, value: null })}
                >
                  Remove
                </Button>
              </Group>,
            ])}
          />
        )}
        <Form
          action={update}
          submitLabel={headerNames.includes(name.toLowerCase()) ? 'Replace header' : 'Add header'}
          button={{ variant: 'default', disabled: values.name === '' || values.value === '' }}
          onSubmit={() => set({ name, value: values.value }, clear)}
        >
          <Group align="flex-start" gap="sm">
            <TextInput
              label="Header name"
              {...field('name')}
              error={violations['headers.0.name'] ?? violations['headers']}
              maxLength={CUSTOM_HEADER_LIMITS.nameLength}
              autoComplete="off"
              spellCheck={false}
              w="16rem"
            />
            <PasswordInput
              label="Header value"
              {...field('value')}
              error={violations['headers.0.value']}
              maxLength={CUSTOM_HEADER_LIMITS.valueLength}
              autoComplete="off"
              w="24rem"
              maw="100%"
            />
          </Group>
        </Form>
      </Stack>
    </Panel>
  );
}
