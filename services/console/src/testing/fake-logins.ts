import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type {
  AccessService,
  GetPasswordLinkResponseSchema,
  LoginSchema,
  ProviderIdentity,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { Role } from '@partner/proto-contracts/api/roles';
import { notFound, ServiceError } from '@partner/kernel/service-error';

/** When every person was linked to the identity provider. */
export const LINKED_AT = new Date('2026-08-26T14:03:00Z');

/** A login of a fake job-state. */
export type FakeLogin = MessageInitShape<typeof LoginSchema>;

type LoginMethods = Pick<
  ServiceImpl<typeof AccessService>,
  | 'getLogin'
  | 'getOwner'
  | 'changePassword'
  | 'requestPasswordLink'
  | 'getPasswordLink'
  | 'usePasswordLink'
  | 'getProviderLogin'
  | 'linkProvider'
  | 'getSignInMethods'
>;

/** In-memory logins, and what a test does to them. */
export interface FakeLogins {
  readonly methods: LoginMethods;
  /** From now on the membership is not an owner's. */
  dismiss(membershipId: string): void;
  /** Makes a membership an owner or a viewer. */
  setRole(membershipId: string, role: Role): void;
  /** Changes the password of a membership; without a hash only its version. */
  setPassword(membershipId: string, passwordHash?: string): void;
  /** Makes owner checks fail, or work again. */
  setAccessAway(isAway: boolean): void;
  /** Responds as a job-state from before the second factor. */
  setOlder(isOlder: boolean): void;
  /** Memberships of the owner checks, newest last. */
  readonly ownersAsked: readonly string[];
}

/** Creates the methods for logins, by email address. */
export function createFakeLogins(
  logins: Readonly<Record<string, FakeLogin>>,
  hasSecondFactor: (membershipId: string | undefined) => boolean,
): FakeLogins {
  const former = new Set<string>();
  const passwordsSet = new Map<string, number>();
  const newRoles = new Map<string, Role>();
  const newHashes = new Map<string, string>();
  const links = new Map<string, MessageInitShape<typeof GetPasswordLinkResponseSchema>>();
  const linked = new Map<string, string>();
  const ownersAsked: string[] = [];
  let isAccessAway = false;
  let isOlder = false;
  const versionOf = (membershipId = '') => `${membershipId} ${passwordsSet.get(membershipId) ?? 0}`;
  const passwordOf = ({ membershipId = '', passwordHash = '' }: FakeLogin) => ({
    passwordHash: newHashes.get(membershipId) ?? passwordHash,
    passwordVersion: versionOf(membershipId),
  });

  function setPassword(membershipId: string, passwordHash?: string): void {
    passwordsSet.set(membershipId, (passwordsSet.get(membershipId) ?? 0) + 1);
    if (passwordHash !== undefined) newHashes.set(membershipId, passwordHash);
  }

  const nameOf = (tokenSha256: Uint8Array = new Uint8Array()) => Buffer.from(tokenSha256).toString('hex');
  const accountOf = (identity: ProviderIdentity | undefined) => `${identity?.issuer} ${identity?.subject}`;
  function linkOf(tokenSha256: Uint8Array | undefined) {
    const person = links.get(nameOf(tokenSha256));
    if (person === undefined) throw notFound('password link');
    return person;
  }

  return {
    methods: {
      getLogin: ({ email = '' }) => {
        const login = logins[email.toLowerCase()];
        if (login === undefined) return {};
        const factor = isOlder ? {} : { hasSecondFactor: hasSecondFactor(login.membershipId) };
        return { login: { ...login, ...passwordOf(login), ...factor } };
      },
      getOwner: ({ companyId, membershipId, withPasswordHash }) => {
        ownersAsked.push(membershipId ?? '');
        if (isAccessAway) throw new ServiceError('unavailable', 'job-state is away');
        const found = Object.entries(logins).find(
          ([, login]) => login.membershipId === membershipId && login.companyId === companyId,
        );
        if (
          found === undefined ||
          (found[1].isOwner !== true && found[1].isViewer !== true) ||
          former.has(membershipId ?? '')
        )
          return { isOwner: false };
        const [email, owner] = found;
        const { passwordHash, passwordVersion } = passwordOf(owner);
        const role = newRoles.get(owner.membershipId ?? '') ?? (owner.isOwner === true ? 'owner' : 'viewer');
        const roles = { isOwner: role === 'owner', isViewer: role === 'viewer' };
        return { ...roles, passwordVersion, ...(withPasswordHash === true && { passwordHash, email }) };
      },
      changePassword: ({ actor, formerPasswordVersion, passwordHash }) => {
        const { membershipId = '' } = actor ?? {};
        if (formerPasswordVersion !== versionOf(membershipId)) {
          throw new ServiceError('password_wrong', 'the password was changed meanwhile; sign in again');
        }
        setPassword(membershipId, passwordHash);
        return { passwordVersion: versionOf(membershipId) };
      },
      requestPasswordLink: ({ email: typed = '', tokenSha256, onlyMembershipId }) => {
        const email = typed.toLowerCase();
        const login = logins[email];
        if (login === undefined) return {};
        const { membershipId, companyName, displayName } = login;
        if (onlyMembershipId !== undefined && onlyMembershipId !== membershipId) return {};
        links.set(nameOf(tokenSha256), { membershipId, companyName, displayName, email, hasPassword: true });
        return { email };
      },
      getPasswordLink: ({ tokenSha256 }) => linkOf(tokenSha256),
      usePasswordLink: ({ tokenSha256, passwordHash }) => {
        setPassword(linkOf(tokenSha256).membershipId ?? '', passwordHash);
        links.delete(nameOf(tokenSha256));
        return {};
      },
      getProviderLogin: ({ identity }) => {
        const membershipId = linked.get(accountOf(identity));
        const [, login] =
          Object.entries(logins).find(([email, each]) =>
            membershipId === undefined
              ? email === identity?.verifiedEmail
              : each.membershipId === membershipId,
          ) ?? [];
        if (login === undefined) return {};
        const { passwordVersion } = passwordOf(login);
        return {
          login: { ...login, passwordVersion, hasSecondFactor: hasSecondFactor(login.membershipId) },
          isLinked: membershipId !== undefined,
        };
      },
      linkProvider: ({ identity, actor }) => {
        linked.set(accountOf(identity), actor?.membershipId ?? '');
        return {};
      },
      getSignInMethods: ({ membershipId = '' }) => ({
        hasPassword: true,
        ...([...linked.values()].includes(membershipId) && { linkedAt: timestampFromDate(LINKED_AT) }),
      }),
    },
    dismiss: (membershipId) => former.add(membershipId),
    setPassword,
    setRole: (membershipId, role) => newRoles.set(membershipId, role),
    setAccessAway: (isAway) => {
      isAccessAway = isAway;
    },
    setOlder: (older) => {
      isOlder = older;
    },
    ownersAsked,
  };
}
