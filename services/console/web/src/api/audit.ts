import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import type { z } from 'zod';
import { useCursorList } from './use-cursor-list.js';

/** One change that an owner made. */
export type AuditEntry = z.output<typeof auditPage>['entries'][number];

/** The company's audit trail, newest first; optionally of one action only. */
export function useAuditEntries(action?: AuditEntry['action']) {
  const list = useCursorList({
    key: ['audit'],
    schema: auditPage,
    path: '/audit-entries',
    query: { action, limit: 50 },
  });
  return { ...list, entries: list.pages?.flatMap((page) => page.entries) };
}
