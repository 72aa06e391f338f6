import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { olderCursor, pageQuery } from '../../values/page.js';

export const AUDIT_ACTIONS = [
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.tested',
  'webhook.activated',
  'webhook.paused',
  'webhook.secret_rotated',
  'webhook.secret_activated',
  'webhook_proposal.filed',
  'webhook_proposal.confirmed',
  'webhook_proposal.rejected',
  'webhook_proposal.withdrawn',
  'delivery.replayed',
  'delivery.retried',
  'bulk_replay.started',
  'bulk_replay.cancelled',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'api_key.faults_set',
  'api_key.faults_cleared',
  'session.started',
  'session.ended',
  'session.confirmed',
  'company.created',
  'company.updated',
  'owner.created',
  'owner.updated',
  'owner.password_link_requested',
  'owner.code_refused',
  'technical_contact.requested',
  'technical_contact.confirmed',
  'person.erased',
  'company.erased',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const AUDIT_SUBJECT_TYPES = [
  'webhook',
  'delivery',
  'bulk_replay',
  'api_key',
  'session',
  'company',
  'owner',
] as const;

export type AuditSubjectType = (typeof AUDIT_SUBJECT_TYPES)[number];

export const AUDIT_RETENTION_DAYS = 400;

export const AUDIT_USER_AGENT_LENGTH = 200;

/** Visible to the owners of the company. Other companies do not see it. */
const auditEntry = z
  .object({
    id: z.string().meta({ description: 'The id of the entry.' }),
    at: dateTimeOut.meta({ description: 'When the change was made.' }),
    actor: z
      .object({
        membershipId: z
          .string()
          .nullable()
          .meta({ description: 'The owner; null for an operator of the service and for an API key.' }),
        displayName: z.string().meta({
          description: 'Of an operator: `operator: ` and the name. Of an API key: `API key ` and its id.',
        }),
      })
      .meta({ id: 'AuditActor', description: 'Who made a change.' })
      .nullable()
      .meta({ description: 'Who made it; null if no one was signed in.' }),
    action: z.enum(AUDIT_ACTIONS).meta({
      description: 'The action. New ones come without a new version: accept one that you do not know.',
    }),
    subject: z
      .object({
        type: z.enum(AUDIT_SUBJECT_TYPES).meta({ description: 'The type of the object.' }),
        id: z.string().meta({ description: 'The id of the object.' }),
      })
      .meta({ id: 'AuditSubject', description: 'The object that was changed; it may no longer exist.' }),
    remoteAddress: z.string().nullable().meta({ description: "The client's address." }),
    userAgent: z
      .string()
      .nullable()
      .meta({
        description: `The first ${AUDIT_USER_AGENT_LENGTH} characters of the client's \`user-agent\`.`,
      }),
    requestId: z.string().nullable().meta({ description: 'The `x-request-id` of the request that made it.' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'More about it; depends on `action`. Never holds a secret.' }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'One change that an owner or an API key of the company, or an operator for it, made.',
  });

export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = z
  .object({
    entries: z.array(auditEntry).meta({ description: 'Newest first.' }),
    nextCursor: olderCursor,
  })
  .meta({ id: 'AuditEntries', description: 'A page of the audit trail, newest first.' });

export type AuditPage = z.infer<typeof auditPage>;

export const auditQuery = z.object({
  action: z.enum(AUDIT_ACTIONS).optional().meta({ description: 'Only entries of this action.' }),
  ...pageQuery.shape,
});
