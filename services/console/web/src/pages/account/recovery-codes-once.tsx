import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../../parts/code.js';
import { Notice } from '../../parts/page.js';

/** Shows new recovery codes once. The owner continues after storing them. */
export function RecoveryCodesOnce(props: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <Stack>
      <Notice tone="warn" title="These recovery codes are shown once" isAlert>
        If you lose your phone, each of them replaces the code of the app once. Store them where you can reach
        them without it.
      </Notice>
      <CodeBlock label="Recovery codes" code={props.codes.join('\n')} />
      <Checkbox
        label="I have stored them"
        checked={isStored}
        onChange={({ currentTarget }) => setStored(currentTarget.checked)}
      />
      <Group>
        <Button disabled={!isStored} onClick={props.onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
