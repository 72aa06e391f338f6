import { Option } from '@commander-js/extra-typings';
import { keyKind } from '@partner/proto-contracts/resources/api-key/api-key';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '@partner/proto-contracts/resources/api-key/operations';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, demandYes, readPages, topCommand, subcommand } from '../command-context.js';
import { columns } from '../output.js';

export const KEY_COLUMNS = columns(`
  id, kind, state, last four: lastFour, bound to: boundCompany.name, description, last used: lastUsedAt,
  expires: expiresAt
`);

const KEY_LINES = columns(`
  id: key.id, kind: key.kind, bound to: key.boundCompany.name, description: key.description,
  API key: apiKey, replaces: previous.id, which ends: previous.expiresAt
`);

/** An owner creates the others in the console. */
const KINDS = keyKind.exclude(['automation']).options;

const SHOWN_ONCE = 'The API key is shown this once.\n';

export function keysCommand(context: CommandContext) {
  const group = topCommand('keys', 'API keys of companies', 'list cmp_01j…');

  subcommand(
    group,
    'list <company>',
    "list a company's keys with their last use, newest first, including inactive ones",
    'cmp_01j…',
  )
    .option('--limit <count>', 'maximum number', wholeNumber(1, 10_000), 100)
    .action(async (company, { limit }) => {
      const { call } = await context.about(company);
      const { entries, hasMore } = await readPages(limit, async (after, size) => {
        const page = await call(listApiKeysOperation, { query: { limit: String(size) }, after });
        return { entries: page.keys, next: page.nextCursor };
      });
      context.output.rows('keys', entries, KEY_COLUMNS, { hasMore });
    });

  subcommand(
    group,
    'create <company>',
    'create a key, which is shown once',
    'cmp_01j… --kind installer-company',
    'KEY=$(partnerctl keys create cmp_01j… --kind general --field apiKey)',
  )
    .addOption(new Option('--kind <kind>', 'kind of the key').choices(KINDS).makeOptionMandatory())
    .option('--bound-to <company>', 'of kind installer-contractor: the installer company')
    .option('--description <text>', 'up to 120 characters')
    .action(async (company, { kind, boundTo, description }) => {
      const { call } = await context.about(company);
      const body = { kind, boundCompanyId: boundTo, description };
      context.output.thing(await call(createApiKeyOperation, { body }), KEY_LINES, SHOWN_ONCE);
    });

  subcommand(
    group,
    'rotate',
    'replace a key, which stays valid for an overlap',
    'key_01j… --overlap-hours 48',
  )
    .argument('<key>', 'the part of the key before the dot')
    .option(
      '--overlap-hours <hours>',
      'how long the old key stays valid; 0 ends it immediately and needs --yes',
      wholeNumber(0, 168),
      24,
    )
    .option('--yes', 'confirm a rotation without an overlap')
    .action(async (keyId, { overlapHours, yes }) => {
      const { call, companyId } = await context.about(keyId);
      if (overlapHours === 0)
        demandYes(yes, `without an overlap this ends the key ${keyId} of ${companyId} immediately, for good`);
      const rotated = await call(rotateApiKeyOperation, { body: { overlapHours } });
      context.output.thing(rotated, KEY_LINES, SHOWN_ONCE);
    });

  subcommand(group, 'revoke', 'revoke a key permanently, within 5 seconds everywhere', 'key_01j… --yes')
    .argument('<key>', 'the part of the key before the dot')
    .option('--yes', 'do it')
    .action(async (keyId, { yes }) => {
      const { call, companyId } = await context.about(keyId);
      demandYes(yes, `this ends the key ${keyId} of ${companyId} for good`);
      await call(revokeApiKeyOperation);
      context.output.words({ keyId, revoked: true }, `${keyId} is revoked.`);
    });

  return group;
}
