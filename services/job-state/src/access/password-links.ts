import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, TransactionLimits } from '../database/database.js';
import { setPassword } from './change-password.js';

const MINUTE_MS = 60_000;

/** The person whom a link is for. */
export interface LinkedPerson {
  readonly membershipId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly displayName: string;
  readonly email: string;
}

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info'>;
}

const PERSON = `member.id as "membershipId", member.company_id as "companyId", company.name as "companyName",
  member.display_name as "displayName", member.email`;

/** People of the console who can get mail. */
const MAY_SIGN_IN = `member.active and member.role in ('OWNER', 'VIEWER') and member.email is not null`;

/**
 * Makes a link valid for the person with an email address, in place of an earlier one. Returns the person to mail it to.
 *
 * Undefined for an unknown address, and for a person who cannot sign in: without a password, only an invitation or an operator
 * opens an account.
 *
 * Atomic: the link and its entry in the audit trail. Locks: the membership, then its link.
 */
export async function requestPasswordLink(
  deps: Deps,
  request: {
    readonly email: string;
    readonly tokenSha256: Buffer;
    /** The only person whom the link may be for. */
    readonly onlyMembershipId?: string | undefined;
  },
  limits: TransactionLimits = {},
): Promise<LinkedPerson | undefined> {
  const person = await deps.database.transaction(async (tx) => {
    const [found] = await tx.query<LinkedPerson>(
      `select ${PERSON} from memberships as member join companies as company on company.id = member.company_id
       where lower(member.email) = lower($1) and ${MAY_SIGN_IN} and member.password_hash is not null
         and ($2::text is null or member.id = $2)
       for no key update of member`,
      [request.email, request.onlyMembershipId ?? null],
    );
    if (found === undefined) return undefined;
    const { membershipId, companyId, displayName } = found;
    const expiresAt = new Date(deps.clock().getTime() + PASSWORD_LINKS.minutes * MINUTE_MS);
    await putPasswordLink(tx, { membershipId, tokenSha256: request.tokenSha256, expiresAt });
    await recordAudit(tx, {
      companyId,
      actor: undefined,
      action: 'owner.password_link_requested',
      subject: { type: 'owner', id: membershipId },
      details: { displayName, expiresAt },
    });
    return found;
  }, limits);
  if (person !== undefined) {
    const { companyId, membershipId } = person;
    deps.logger.info({ companyId, membershipId }, 'owner.password_link_requested');
  }
  return person;
}

/** Makes a link valid for a membership, in place of an earlier one. */
export async function putPasswordLink(
  tx: Queryable,
  link: { readonly membershipId: string; readonly tokenSha256: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await tx.query(
    `insert into password_links (membership_id, token_sha256, expires_at) values ($1, $2, $3)
     on conflict (membership_id) do update set token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
    [link.membershipId, link.tokenSha256, link.expiresAt],
  );
}

/**
 * Returns the person of a link.
 *
 * Fails with `not_found` for a link that is unknown, used, replaced or expired, and for a person who can no longer sign in.
 */
export async function getPasswordLink(
  database: Queryable,
  tokenSha256: Buffer,
  now: Date,
): Promise<LinkedPerson> {
  const [person] = await database.query<LinkedPerson>(
    `select ${PERSON} from password_links as link join memberships as member on member.id = link.membership_id
       join companies as company on company.id = member.company_id
     where link.token_sha256 = $1 and link.expires_at > $2 and ${MAY_SIGN_IN}`,
    [tokenSha256, now],
  );
  if (person === undefined) throw notFound('password link');
  return person;
}

/**
 * Sets the password of the person of a link, and uses the link up. Returns the membership.
 *
 * Fails with `not_found` as {@link getPasswordLink} does, and with `invalid_argument` for a hash with other parameters than the
 * service's.
 *
 * Atomic: the password, the end of the link and the entry in the audit trail. Locks: the membership, then the link.
 */
export async function usePasswordLink(
  deps: Deps,
  request: {
    readonly tokenSha256: Buffer;
    readonly passwordHash: string;
    /** The client; its membership and name are those of the link. */
    readonly client: Pick<Actor, 'remoteAddress' | 'userAgent'> | undefined;
  },
  limits: TransactionLimits = {},
): Promise<string> {
  const { tokenSha256, passwordHash, client } = request;
  const { companyId, membershipId } = await deps.database.transaction(async (tx) => {
    const [person] = await tx.query<Pick<LinkedPerson, 'companyId' | 'membershipId' | 'displayName'>>(
      `select member.id as "membershipId", member.company_id as "companyId", member.display_name as "displayName"
       from memberships as member
       where member.id = (select membership_id from password_links where token_sha256 = $1) and ${MAY_SIGN_IN}
       for no key update`,
      [tokenSha256],
    );
    const used = await tx.query(
      'delete from password_links where token_sha256 = $1 and expires_at > $2 returning membership_id',
      [tokenSha256, deps.clock()],
    );
    if (person === undefined || used.length === 0) throw notFound('password link');
    const { displayName, ...membership } = person;
    const actor = { ...client, membershipId: person.membershipId, displayName };
    await setPassword(tx, { ...membership, passwordHash, actor });
    return membership;
  }, limits);
  deps.logger.info({ companyId, membershipId }, 'owner.password_changed');
  return membershipId;
}
