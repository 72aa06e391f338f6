import { IconArrowRight, IconCheck, IconClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Badge } from '../../parts/data.js';
import { Panel } from '../../parts/page.js';

/** Progress of a step. */
type StepState = 'done' | 'next' | 'later';

const LOOKS = {
  done: { tone: 'good', icon: IconCheck, label: 'Done' },
  next: { tone: 'info', icon: IconArrowRight, label: 'Do this now' },
  later: { tone: 'quiet', icon: IconClock, label: 'Later' },
} as const;

/** One of several steps on a page. */
export function StepPanel(props: {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  readonly children: ReactNode;
}) {
  return (
    <Panel title={`${props.number}. ${props.title}`} actions={<Badge {...LOOKS[props.state]} />}>
      {props.children}
    </Panel>
  );
}
