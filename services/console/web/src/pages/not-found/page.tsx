import { IconMapOff } from '@tabler/icons-react';
import { EmptyState, LinkButton, PageHeader } from '../../parts/page.js';
import { PATHS } from '../../paths.js';

/** Page for unknown addresses of the console. */
export function Page() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        title="This page doesn’t exist"
        icon={<IconMapOff size={28} />}
        action={<LinkButton to={PATHS.overview}>Go to the overview</LinkButton>}
      />
    </>
  );
}
