import { Button } from '@mantine/core';
import { useAction } from '../../api/hooks.js';
import { useLinkToken } from '../../link-secrets.js';
import { FormFailure } from '../../parts/form.js';
import { Notice } from '../../parts/page.js';
import { OutsidePanel } from '../../parts/outside.js';

/** Page of the mailed confirmation link. It needs a click, because mail scanners open links. */
export function Page() {
  const token = useLinkToken();
  const confirm = useAction('confirmTechnicalContact');
  return (
    <OutsidePanel
      title="Confirm the technical contact"
      description="After you confirm this address, it receives announcements of new versions and changes of the partner API."
    >
      <FormFailure error={confirm.error} />
      {confirm.isDone ? (
        <Notice tone="good" title="Address confirmed" isAlert>
          You can close this page.
        </Notice>
      ) : (
        <Button
          fullWidth
          mt={confirm.error === null ? 0 : 'md'}
          loading={confirm.isRunning}
          onClick={() => confirm.run({ body: { token } })}
        >
          Confirm address
        </Button>
      )}
    </OutsidePanel>
  );
}
