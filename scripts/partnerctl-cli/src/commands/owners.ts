import { randomBytes } from 'node:crypto';
import { Argument, Option } from '@commander-js/extra-typings';
import { hash } from '@node-rs/argon2';
import { role } from '@partner/proto-contracts/api/roles';
import {
  createOwnerOperation,
  listOwnersOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  updateOwnerOperation,
} from '@partner/proto-contracts/internal/operators/owners';
import type { Owner } from '@partner/proto-contracts/resources/owner/owner';
import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { normalizedPassword, PASSWORD_HASHING } from '@partner/kernel/security/password-hashing';
import { type CommandContext, readPages, topCommand, subcommand } from '../command-context.js';
import { wrongUsage } from '../exit-codes.js';
import { columns } from '../output.js';
import type { Session } from '../session.js';

export const OWNER_COLUMNS = columns(
  'id: membershipId, name: displayName, role, email, may sign in: active, has password: hasPassword, second factor: hasSecondFactor, identity provider: isLinked',
);

const OWNER_LINES = columns(`
  id: owner.membershipId, company: owner.companyId, name: owner.displayName, role: owner.role, email: owner.email,
  may sign in: owner.active, has password: owner.hasPassword,
  second factor: owner.hasSecondFactor, identity provider: owner.isLinked, password
`);

const DISABLE =
  "disable an owner's sign-in, and delete the password and the link to the identity provider; sessions end within two minutes";
const RESET_SECOND_FACTOR =
  "remove an owner's second factor, so that the password is enough to sign in; sessions end within two minutes; verify who asks for it";
const UNLINK =
  "forget an owner's account at the identity provider; sessions end within two minutes; with a password, the next sign-in there links one again; disable an owner whose account was taken over";

export async function readOwners(call: Session['call'], companyId: string): Promise<readonly Owner[]> {
  const { entries } = await readPages<Owner>(Infinity, async (afterMembershipId, limit) => {
    const page = await call(listOwnersOperation, { companyId, limit, afterMembershipId });
    return { entries: page.owners, next: page.hasMore ? page.owners.at(-1)?.membershipId : undefined };
  });
  return entries;
}

export function ownersCommand(context: CommandContext) {
  const group = topCommand(
    'owners',
    'owners: people who can sign in to the console of a company',
    'list cmp_01j…',
  );

  const passwordStdin = () =>
    new Option('--password-stdin', 'read the password from standard input instead of generating one');

  async function choosePassword(fromStdin: true | undefined) {
    const given =
      fromStdin === true
        ? (await context.read('-')).replace(/\r?\n$/, '')
        : randomBytes(18).toString('base64url');
    const password = normalizedPassword(given);
    if (password.length < PASSWORD_LENGTH.min || password.length > PASSWORD_LENGTH.max) {
      throw wrongUsage(`a password has ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`);
    }
    return {
      passwordHash: await hash(password, PASSWORD_HASHING),
      shown: fromStdin === true ? {} : { password },
    };
  }

  function show(owner: Owner, shown: { readonly password?: string }): void {
    context.output.thing(
      { owner, ...shown },
      OWNER_LINES,
      'password' in shown ? 'The password is shown this once.\n' : '',
    );
  }

  subcommand(group, 'list <company>', "list a company's owners, oldest first", 'cmp_01j…').action(
    async (companyId) => {
      context.output.rows('owners', await readOwners(context.call, companyId), OWNER_COLUMNS);
    },
  );

  subcommand(
    group,
    'create <company>',
    'add an owner with a generated password, which is shown once',
    'cmp_01j… --name "Olive Owner" --email olive@example.com',
    'pass show olive | partnerctl owners create cmp_01j… --name Olive --email olive@example.com --password-stdin',
  )
    .requiredOption('--name <name>', "the owner's name")
    .requiredOption('--email <address>', 'the address to sign in with')
    .addOption(new Option('--role <role>', 'a viewer can only read').choices(role.options).default('owner'))
    .addOption(passwordStdin())
    .option('--no-password', 'the owner cannot sign in until one is set')
    .action(async (companyId, { name, email, role: given, passwordStdin: fromStdin, password: wanted }) => {
      const chosen = wanted ? await choosePassword(fromStdin) : undefined;
      const owner = await context.call(createOwnerOperation, {
        ...{ companyId, displayName: name, email, role: given },
        passwordHash: chosen?.passwordHash,
      });
      show(owner, chosen?.shown ?? {});
    });

  subcommand(
    group,
    'set-password',
    "set an owner's password, generated and shown once; sessions end within two minutes",
    'mem_01j…',
    'mem_01j… --password-stdin <file',
  )
    .argument('<owner>', 'the id of the membership')
    .addOption(passwordStdin())
    .action(async (membershipId, { passwordStdin: fromStdin }) => {
      const { passwordHash, shown } = await choosePassword(fromStdin);
      show(await context.call(updateOwnerOperation, { membershipId, passwordHash }), shown);
    });

  subcommand(
    group,
    'set-role',
    'make a person an owner, or a viewer who can only read; sessions end within two minutes',
    'partnerctl owners set-role mem_01j… viewer',
  )
    .argument('<owner>', 'the id of the membership')
    .addArgument(new Argument('<role>', 'a viewer can only read').choices(role.options))
    .action(async (membershipId, given) => {
      show(await context.call(updateOwnerOperation, { membershipId, role: given }), {});
    });

  for (const [name, description, operation, change] of [
    [
      'enable',
      "enable an owner's sign-in, once a password is set (set-password)",
      updateOwnerOperation,
      { active: true },
    ],
    ['disable', DISABLE, updateOwnerOperation, { active: false }],
    ['reset-second-factor', RESET_SECOND_FACTOR, resetOwnerSecondFactorOperation, {}],
    ['unlink-provider', UNLINK, unlinkOwnerProviderOperation, {}],
  ] as const) {
    subcommand(group, name, description, 'mem_01j…')
      .argument('<owner>', 'the id of the membership')
      .action(async (membershipId) => {
        show(await context.call(operation, { membershipId, ...change }), {});
      });
  }

  return group;
}
