import { Box, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconInfoCircle,
  IconPointFilled,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Tone } from '../tones.js';
import classes from './notice.module.css';

const ICONS = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  info: IconInfoCircle,
  quiet: IconPointFilled,
} as const satisfies Record<Tone, unknown>;

/** A message within a page. Set `isAlert` if it appears after an action of the reader. */
export function Notice(props: {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly isAlert?: boolean;
}) {
  const { tone, title, children } = props;
  const Icon = ICONS[tone];
  return (
    <Box
      className={classes['notice']}
      __vars={{
        '--notice-text': `var(--tone-${tone}-text)`,
        '--notice-background': `var(--tone-${tone}-background)`,
        '--notice-border': `var(--tone-${tone}-border)`,
      }}
      {...(props.isAlert === true ? { role: 'alert' } : {})}
    >
      <Icon size={20} className={classes['icon']} aria-hidden />
      <div className={classes['content']}>
        {title !== undefined && (
          <Text component="p" fw={600} m={0}>
            {title}
          </Text>
        )}
        {children !== undefined && (
          <Text component="div" size="sm">
            {children}
          </Text>
        )}
      </div>
    </Box>
  );
}
