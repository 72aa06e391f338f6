import { Button, Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { CUSTOM_HEADER_LIMITS } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { type SubmitEvent, useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Panel } from '../../parts/panel.js';
import classes from './webhook.module.css';

/** Custom headers of a subscription: their names, and a form that sets one. Values are never shown. */
export function HeadersPanel({ webhook }: { readonly webhook: Webhook }) {
  const { id, headerNames } = webhook;
  const update = useAction('updateWebhook', { done: 'Changes saved' });
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const violations = violationsByField(update.error);
  const isKnown = headerNames.includes(name.trim().toLowerCase());

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    update.run(
      { params: { id }, body: { headers: [{ name: name.trim(), value }] } },
      {
        onSuccess: () => {
          setName('');
          setValue('');
        },
      },
    );
  };
  return (
    <Panel title="Custom headers">
      <Stack gap="md">
        <Text size="sm">
          Sent with every delivery and test, for example a key of your API gateway. Values are stored
          encrypted and not shown again.
        </Text>
        {headerNames.length > 0 && (
          <dl className={classes['facts']}>
            {headerNames.flatMap((header) => [
              <dt key={`${header} name`}>
                <Code>{header}</Code>
              </dt>,
              <dd key={header}>
                <Group gap="sm">
                  <span>Hidden</span>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove the header ${header}`}
                    disabled={update.isRunning}
                    onClick={() =>
                      update.run({ params: { id }, body: { headers: [{ name: header, value: null }] } })
                    }
                  >
                    Remove
                  </Button>
                </Group>
              </dd>,
            ])}
          </dl>
        )}
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Group align="flex-start" gap="sm">
              <TextInput
                label="Header name"
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
                error={violations['headers.0.name'] ?? violations['headers']}
                maxLength={CUSTOM_HEADER_LIMITS.nameLength}
                autoComplete="off"
                spellCheck={false}
                w="16rem"
              />
              <PasswordInput
                label="Header value"
                value={value}
                onChange={({ currentTarget }) => setValue(currentTarget.value)}
                error={violations['headers.0.value']}
                maxLength={CUSTOM_HEADER_LIMITS.valueLength}
                autoComplete="off"
                w="24rem"
                maw="100%"
              />
            </Group>
            <FormFailure error={update.error} />
            <Group>
              <Button
                type="submit"
                variant="default"
                disabled={name === '' || value === ''}
                loading={update.isRunning}
              >
                {isKnown ? 'Replace header' : 'Add header'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Panel>
  );
}
