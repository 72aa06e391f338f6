import { Box, Text } from '@mantine/core';
import { CopyButton } from './copy-button.js';
import classes from './code-block.module.css';

/** A verbatim text with a name and a copy button. It can be scrolled by keyboard. */
export function CodeBlock(props: {
  /** Name, e.g. `Request body`. */
  readonly label: string;
  readonly code: string;
  /** Copied object in the button's label, if the name is too long. */
  readonly copies?: string;
  readonly wraps?: boolean;
  /** Maximum height, as a CSS length. */
  readonly maxHeight?: string;
}) {
  const { label, code, copies = label.toLowerCase(), wraps = false, maxHeight = '28rem' } = props;
  return (
    <div className={classes['frame']}>
      <div className={classes['bar']}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <CopyButton value={code} what={copies} />
      </div>
      <Box
        component="pre"
        className={classes['code']}
        mod={{ wraps }}
        __vars={{ '--code-height': maxHeight }}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <code>{code}</code>
      </Box>
    </div>
  );
}
