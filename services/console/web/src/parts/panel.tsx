import { Box, type BoxProps, Group, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './panel.module.css';

/** A section of a page with its own background. With a title it is a region that screen readers list. */
export function Panel(
  props: {
    readonly title?: string;
    readonly actions?: ReactNode;
    readonly children: ReactNode;
  } & Pick<BoxProps, 'mt' | 'mb' | 'p'>,
) {
  const { title, actions, children, ...box } = props;
  const titleId = useId();
  return (
    <Box
      component="section"
      className={classes['panel']}
      {...(title === undefined ? {} : { 'aria-labelledby': titleId })}
      {...box}
    >
      {title !== undefined && (
        <Group justify="space-between" mb="sm" gap="xs">
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {actions}
        </Group>
      )}
      {children}
    </Box>
  );
}
