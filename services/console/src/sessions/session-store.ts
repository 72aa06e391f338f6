import { randomBytes } from 'node:crypto';
import { SESSIONS_PER_OWNER } from '@partner/proto-contracts/resources/session/session';
import type { Role } from '@partner/proto-contracts/api/roles';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { newId } from '@partner/kernel/process/ids';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import { z } from 'zod';
import { awaitRedis, type StoreDeps } from './session-redis.js';
import {
  CLAIM_SCRIPT,
  CREATE_SCRIPT,
  END_EXPIRED_SCRIPT,
  END_OWN_SCRIPT,
  END_SCRIPT,
  FIELDS,
  LIST_SCRIPT,
  PROLONG_SCRIPT,
  SET_SCRIPT,
} from './session-scripts.js';
import type { SessionSigner } from './session-signer.js';
import { CONFIRMED_MS, PROLONGED_EVERY_MS, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session-times.js';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;
const USER_AGENT_LENGTH = 200;

const personRecord = z.object({
  membershipId: z.string(),
  displayName: z.string(),
  companyId: z.string(),
  companyName: z.string(),
  companyClass,
  /** Version of the password at login. */
  passwordVersion: z.string(),
});

/** A person with access to the console, as of the login. */
export type Owner = Readonly<z.infer<typeof personRecord>> & { readonly role: Role };

/**
 * A viewer's record is nested: a replica of a version without viewers finds no owner in it and refuses the session, instead of
 * giving it an owner's rights.
 */
const ownerRecord = z.union([
  z.object({ viewer: personRecord }).transform(({ viewer }): Owner => ({ ...viewer, role: 'viewer' })),
  personRecord.transform((owner): Owner => ({ ...owner, role: 'owner' })),
]);

function recordOf(owner: Owner): object {
  const person = personRecord.parse(owner);
  return owner.role === 'viewer' ? { viewer: person } : person;
}

export interface ClientOrigin {
  readonly remoteAddress: string;
  readonly userAgent: string | undefined;
}

export interface OwnerSession extends Owner {
  /** SHA-256 of the session's token in hex, its key in Redis. Never shown. */
  readonly id: string;
  /** The public id, `ses_…`. Random, so that it reveals nothing about the key in Redis. */
  readonly publicId: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** When the session ends without another request. */
  readonly expiresAt: Date;
  /** Until when secrets can be created without the password. */
  readonly confirmedUntil: Date;
  /** Start of the last check that the owner is still one; 1970 if the check has to be repeated. */
  readonly ownerCheckedAt: Date;
  /** Client address at login. */
  readonly remoteAddress: string;
  /** User agent at login, at most 200 characters. */
  readonly userAgent: string | null;
}

const record = z.record(z.enum(FIELDS), z.string());
type SessionRecord = z.infer<typeof record>;
const listed = z.array(z.tuple([z.string(), z.array(z.unknown())]));
const publicIds = z.array(z.string());
const claimResult = z.union([z.number(), z.string(), z.null()]);

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Creates the session store in Redis, keyed by the SHA-256 of the tokens (30 minutes idle, 12 hours at most). A record counts only if
 * the console has signed it, and so do its last request, its confirmation and its owner check. Another writer to Redis can only end a
 * session, or restore an ended one. Every method fails with `unavailable` if Redis is down.
 */
export function createSessionStore(deps: StoreDeps) {
  const { signer } = deps;
  // In a cluster, keys with the same part in braces are on one node.
  const prefix = `${deps.keyPrefix}{sessions}:`;
  const keyOf = (sessionId: string) => `${prefix}${sessionId}`;
  const indexOf = (membershipId: string) => `${prefix}of:${membershipId}`;
  const run = (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
    awaitRedis(deps.redis.eval(script, keys.length, ...keys, ...args));
  const now = () => deps.clock().getTime();

  async function read(id: string, at: number): Promise<OwnerSession | undefined> {
    const found = await awaitRedis(deps.redis.hmget(keyOf(id), ...FIELDS));
    const session = sessionOf(signer, id, found, at);
    const isUnknown = found.every((field) => field === null);
    if (session === undefined && !isUnknown) await run(END_EXPIRED_SCRIPT, [keyOf(id)], [at]);
    return session;
  }

  /** Records a request. The session was verified before: a script cannot check signatures. */
  async function prolong(session: OwnerSession, at: number): Promise<OwnerSession> {
    const { id, startedAt, lastSeenAt } = session;
    const text = signedInstant(signer, 'lastSeenAt', id, at);
    await run(PROLONG_SCRIPT, [keyOf(id)], [lastSeenAt.getTime(), text]);
    return { ...session, lastSeenAt: new Date(at), expiresAt: new Date(endOf(startedAt.getTime(), at)) };
  }

  return {
    /**
     * Starts a session with a new 256-bit token. Only the token's hash is stored. If the owner already has 50 sessions,
     * it replaces the oldest, whose public id is in `displaced`. It is confirmed from `provedAt` (Unix ms) on, by default now.
     */
    async create(
      owner: Owner,
      { remoteAddress, userAgent }: ClientOrigin,
      { provedAt }: { readonly provedAt?: number | undefined } = {},
    ) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const id = tokenSha256(token);
      const at = now();
      const confirmedUntil = Math.min(at, provedAt ?? at) + CONFIRMED_MS;
      const signed = {
        startedAt: String(at),
        owner: JSON.stringify(recordOf(owner)),
        publicId: newId('ses'),
        remoteAddress,
        userAgent: userAgent?.slice(0, USER_AGENT_LENGTH) ?? '',
      };
      const values: SessionRecord = {
        ...signed,
        lastSeenAt: signedInstant(signer, 'lastSeenAt', id, at),
        signature: signer.sign(...signedParts(id, signed)),
        confirmedUntil: signedInstant(signer, 'confirmedUntil', id, confirmedUntil),
        ownerCheckedAt: signedInstant(signer, 'ownerCheckedAt', id, at),
      };
      const displaced = await run(
        CREATE_SCRIPT,
        [keyOf(id), indexOf(owner.membershipId)],
        [prefix, id, at, SESSIONS_PER_OWNER, ...Object.entries(values).flat()],
      );
      const fields = FIELDS.map((field) => values[field]);
      const session = sessionOf(signer, id, fields, at);
      if (session === undefined) throw new Error('a new session has ended');
      return { token, session, displaced: publicIds.parse(displaced) };
    },

    /**
     * Returns the session of a token and resets its idle time, at most once a second, unless `prolongs` is false. Undefined if
     * there is none or it has ended.
     */
    async find(token: string, { prolongs = true } = {}) {
      if (!TOKEN_FORM.test(token)) return undefined;
      const at = now();
      const session = await read(tokenSha256(token), at);
      return session !== undefined && prolongs && at >= session.lastSeenAt.getTime() + PROLONGED_EVERY_MS
        ? prolong(session, at)
        : session;
    },

    /** Returns the session of an id without resetting its idle time. */
    peek: (sessionId: string) => read(sessionId, now()),

    /** Returns the active sessions of a membership, newest first. */
    async list(membershipId: string): Promise<readonly OwnerSession[]> {
      const at = now();
      const found = listed.parse(await run(LIST_SCRIPT, [indexOf(membershipId)], [prefix, at]));
      return found
        .flatMap(([id, fields]) => sessionOf(signer, id, fields, at) ?? [])
        .filter((session) => session.membershipId === membershipId);
    },

    /** Ends a session permanently, for every use of its token. Returns false if it has already ended. */
    async end({ id, membershipId }: Pick<OwnerSession, 'id' | 'membershipId'>) {
      return (await run(END_SCRIPT, [keyOf(id), indexOf(membershipId)], [id])) === 1;
    },

    /** Ends the session of a membership by its public id; false if the membership has no such session. */
    async endOwn(membershipId: string, publicId: string) {
      return (await run(END_OWN_SCRIPT, [indexOf(membershipId)], [prefix, publicId, now()])) === 1;
    },

    /** Records that the owner has proved who they are. Returns until when that counts; undefined if the session has ended. */
    async confirm(sessionId: string) {
      const until = now() + CONFIRMED_MS;
      const text = signedInstant(signer, 'confirmedUntil', sessionId, until);
      const isKept = await run(SET_SCRIPT, [keyOf(sessionId)], ['confirmedUntil', text]);
      return isKept === 1 ? new Date(until) : undefined;
    },

    /**
     * Claims the owner check of a session. Returns true to one caller at a time, and only a minute
     * after the last claim. That caller must check the owner or return the claim.
     */
    async claimOwnerCheck(sessionId: string) {
      const at = now();
      const claim = signedInstant(signer, 'ownerCheckedAt', sessionId, at);
      const result = claimResult.parse(await run(CLAIM_SCRIPT, [keyOf(sessionId)], [at, claim]));
      // A recent claim holds only if a replica signed it.
      if (typeof result === 'string') return readInstant(signer, 'ownerCheckedAt', sessionId, result) === 0;
      return result === 1;
    },

    /** Returns the claim of a failed check, so that the next request checks. */
    async returnOwnerCheck(sessionId: string) {
      await run(SET_SCRIPT, [keyOf(sessionId)], ['ownerCheckedAt', '0']);
    },
  };
}

/** The parts of a record that no later request changes. */
const SIGNED = ['startedAt', 'owner', 'publicId', 'remoteAddress', 'userAgent'] as const;

function signedParts(id: string, fields: Pick<SessionRecord, (typeof SIGNED)[number]>): readonly string[] {
  return ['session', id, ...SIGNED.map((field) => fields[field])];
}

type InstantField = 'lastSeenAt' | 'confirmedUntil' | 'ownerCheckedAt';

function signedInstant(signer: SessionSigner, field: InstantField, id: string, ms: number): string {
  return `${ms}.${signer.sign(field, id, String(ms))}`;
}

/** Reads a signed instant; 0 if the signature is wrong. */
function readInstant(signer: SessionSigner, field: InstantField, id: string, text: string): number {
  const [ms = '', signature = ''] = text.split('.');
  return signer.isSigned(signature, field, id, ms) ? Number(ms) : 0;
}

/**
 * Decodes a record, whose fields are in the order of {@link FIELDS}; undefined if the console did not sign it, if it has ended, or if
 * its owner has another version's format. The owner then has to sign in again.
 */
function sessionOf(
  signer: SessionSigner,
  id: string,
  found: readonly unknown[],
  now: number,
): OwnerSession | undefined {
  const parsed = record.safeParse(Object.fromEntries(FIELDS.map((field, place) => [field, found[place]])));
  if (!parsed.success) return undefined;
  const { startedAt, owner, publicId, remoteAddress, userAgent } = parsed.data;
  if (!signer.isSigned(parsed.data.signature, ...signedParts(id, parsed.data))) return undefined;
  const decoded = ownerRecord.safeParse(JSON.parse(owner));
  const instant = (field: InstantField) => readInstant(signer, field, id, parsed.data[field]);
  const lastSeenAt = instant('lastSeenAt');
  const expiresAt = endOf(Number(startedAt), lastSeenAt);
  if (!decoded.success || now >= expiresAt) return undefined;
  return {
    ...decoded.data,
    ...{ id, publicId, remoteAddress },
    startedAt: new Date(Number(startedAt)),
    lastSeenAt: new Date(lastSeenAt),
    expiresAt: new Date(expiresAt),
    confirmedUntil: new Date(instant('confirmedUntil')),
    ownerCheckedAt: new Date(instant('ownerCheckedAt')),
    userAgent: userAgent === '' ? null : userAgent,
  };
}

/** When a session ends without another request. */
function endOf(startedAt: number, lastSeenAt: number): number {
  return Math.min(lastSeenAt + SESSION_IDLE_MS, startedAt + SESSION_LIFETIME_MS);
}

/** Ends the sessions that a membership has now, except one. */
export async function endSessionsOf(
  sessions: Pick<SessionStore, 'list' | 'end'>,
  membershipId: string,
  exceptId?: string,
): Promise<void> {
  const ended = (await sessions.list(membershipId)).filter(({ id }) => id !== exceptId);
  await Promise.all(ended.map((session) => sessions.end(session)));
}
