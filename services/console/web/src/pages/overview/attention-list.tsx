import { Group, Stack, Text } from '@mantine/core';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/panel.js';
import { TextLink } from '../../parts/text-link.js';
import type { Attention } from './attention.js';
import classes from './overview.module.css';

/** What needs attention, with where to go about each. */
export function AttentionList({ found }: { readonly found: readonly Attention[] }) {
  if (found.length === 0) {
    return <Notice tone="good" title="No open issues" />;
  }
  return (
    <Panel title="Needs your attention">
      <Stack component="ul" gap="xs" className={classes['list']}>
        {found.map(({ key, tone, title, text, link }) => (
          <li key={key}>
            <Notice tone={tone} title={title}>
              <Group justify="space-between" gap="xs">
                <Text component="span" size="sm">
                  {text}
                </Text>
                <TextLink to={link.to} size="sm" fw={600}>
                  {link.label}
                </TextLink>
              </Group>
            </Notice>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}
