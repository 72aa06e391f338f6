import { Outlet } from 'react-router';
import { Notice } from './notice.js';
import { useOwner } from './owner-context.js';
import { PageHeader } from './page-header.js';

/** Shows a page that only changes something to owners alone. */
export function OwnersPage() {
  if (useOwner().owner.role === 'owner') return <Outlet />;
  return (
    <>
      <PageHeader title="Only for owners" />
      <Notice tone="info" title="Your role is viewer">
        Ask an owner of your company to make the change.
      </Notice>
    </>
  );
}
