import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import icon from '../icon.svg';
import { ColorSchemeSwitch } from './color-scheme-switch.js';
import classes from './outside-page.module.css';

/** Layout of pages without a session. `size`: the widest content, in pixels. */
export function OutsidePage({
  children,
  size = 440,
}: {
  readonly children: ReactNode;
  readonly size?: number;
}) {
  return (
    <div className={classes['ground']}>
      <div className={classes['corner']}>
        <ColorSchemeSwitch />
      </div>
      <Container component="main" size={size} px="md">
        <img src={icon} width={44} height={44} alt="" className={classes['mark']} />
        {children}
      </Container>
    </div>
  );
}
