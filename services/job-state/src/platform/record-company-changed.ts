import {
  CompanyChangedSchema,
  CompanyClassSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { z } from 'zod';
import type { Transaction } from '../database/database.js';
import { changeAccountingLinks } from '../journal/backfills.js';
import { id, instant, list, NAME_LENGTH, nameOf, text, version } from './message-type/message-fields.js';
import { classObstacle } from './message-type/obstacles.js';
import { type PlatformEffect, platformMessageType } from './message-type/platform-message-type.js';

const companyChanged = z
  .object({
    companyId: id('cmp'),
    version,
    name: text(NAME_LENGTH),
    class: nameOf(CompanyClassSchema, companyClass.options),
    accountingCompanyIds: list(id('cmp')).refine(
      (ids) => new Set(ids).size === ids.length,
      'holds a company twice',
    ),
    occurredAt: instant,
  })
  .refine((company) => company.class !== 'ACCOUNTING' || company.accountingCompanyIds.length === 0, {
    path: ['accountingCompanyIds'],
    message: 'holds companies, but an accounting company has no journal',
  });

type CompanyChangedCommand = z.infer<typeof companyChanged>;

export const companyChangedMessage = platformMessageType({
  schema: CompanyChangedSchema,
  form: companyChanged,
  resourceId: ({ companyId }) => companyId,
  isAlone: true,
  record: recordCompanyChanged,
});

/**
 * Records the current state of a company: its name and the accounting companies that receive its journal.
 *
 * The newest name by version wins. The links of each version count for the entries of their time, also if the message is late.
 * Any message overrides data from another source. A class never changes. A job's projection shows a new name after that job's
 * next change. Locks: the company, then those of {@link changeAccountingLinks}.
 */
async function recordCompanyChanged(
  tx: Transaction,
  command: CompanyChangedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { companyId, version, accountingCompanyIds, occurredAt } = command;
  const [known] = await tx.query<{ class: string }>(
    'select class from companies where id = $1 for no key update',
    [companyId],
  );
  if (known !== undefined && known.class !== command.class) return otherClass(command);
  const recorded = await tx.query(
    'select from accounting_links where company_id = $1 and version = $2 and revision = 0',
    [companyId, version],
  );
  if (recorded.length > 0) return { kind: 'ignored', why: 'this version is already recorded' };
  const classes = new Map(
    (
      await tx.query<{ id: string; class: string }>(
        'select id, class from companies where id = any($1::text[])',
        [accountingCompanyIds],
      )
    ).map((company) => [company.id, company.class]),
  );
  for (const accountingCompanyId of accountingCompanyIds) {
    const obstacle = classObstacle(accountingCompanyId, classes.get(accountingCompanyId), 'ACCOUNTING');
    if (obstacle !== undefined) return obstacle;
  }
  // An operator may have created it since.
  const written = await tx.query(
    `insert into companies as known (id, name, class, version, created_at) values ($1, $2, $3, $4, $5)
     on conflict (id) do update set version = greatest(known.version, excluded.version),
       name = case when excluded.version > known.version then excluded.name else known.name end
       where known.class = excluded.class
     returning id`,
    [companyId, command.name, command.class, version, now],
  );
  if (written.length === 0) return otherClass(command);
  await changeAccountingLinks(
    tx,
    { companyId, version, effectiveFrom: occurredAt, accountingCompanyIds },
    now,
  );
  return { kind: 'applied', appeared: [companyId] };
}

function otherClass(command: CompanyChangedCommand): PlatformEffect {
  return {
    kind: 'refused',
    reason: `company ${command.companyId} is not of class ${command.class}, and a class never changes`,
  };
}
