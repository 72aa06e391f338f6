import {
  type AuditAction,
  auditEntry,
  auditPage,
} from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { z } from 'zod';
import { useCursorList } from './use-cursor-list.js';

/** During a rollout, entries of the new version can have an action or a subject that this page does not know. */
const anyAuditPage = auditPage.extend({
  entries: z.array(
    auditEntry.extend({ action: z.string(), subject: z.object({ type: z.string(), id: z.string() }) }),
  ),
});

/** One change that an owner made. */
export type AuditEntry = z.output<typeof anyAuditPage>['entries'][number];

/** The company's audit trail, newest first; optionally of one action only. */
export function useAuditEntries(action?: AuditAction) {
  const list = useCursorList({
    key: ['audit'],
    schema: anyAuditPage,
    path: '/audit-entries',
    query: { action, limit: 50 },
  });
  return { ...list, entries: list.pages?.flatMap((page) => page.entries) };
}
