import { Group, Stack, Text } from '@mantine/core';
import { Notice, Panel, TextLink } from '../../parts/page.js';
import type { Attention } from './attention.js';
import classes from './overview.module.css';

/** List of problems with a link for each. `isWhole`: everything was checked. */
export function AttentionList({
  found,
  isWhole,
}: {
  readonly found: readonly Attention[];
  readonly isWhole: boolean;
}) {
  const gap = !isWhole && (
    <Notice tone="warn" title="Not everything could be loaded, so issues may be missing here." />
  );
  if (found.length === 0) return isWhole ? <Notice tone="good" title="No open issues" /> : gap;
  return (
    <Panel title="Needs your attention">
      {gap}
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
