import {
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
} from '@partner/proto-contracts/internal/access/technical-contact';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor, callingCompany } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import {
  confirmTechnicalContact,
  getTechnicalContact,
  requestTechnicalContact,
  shownTechnicalContact,
} from './technical-contact.js';

/** The operations with which owners and operators set the technical contact of a company. The callers mail the links. */
export function technicalContactOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implement(getTechnicalContactOperation, async ({ companyId, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const contact = await getTechnicalContact(database, companyId, deps.clock());
      return { json: JSON.stringify(shownTechnicalContact(contact)) };
    }),
    implementInternal(requestTechnicalContactOperation, async (input, { caller, timeoutMs }) => {
      const { email, tokenSha256 } = input;
      const contact = await requestTechnicalContact(
        deps,
        {
          companyId: callingCompany(caller),
          actor: callingActor(caller),
          email,
          tokenSha256: Buffer.from(tokenSha256, 'hex'),
        },
        { timeoutMs: timeoutMs() },
      );
      return shownTechnicalContact(contact);
    }),
    implementInternal(useTechnicalContactTokenOperation, async ({ tokenSha256 }, { timeoutMs }) => {
      await confirmTechnicalContact(deps, Buffer.from(tokenSha256, 'hex'), { timeoutMs: timeoutMs() });
      return {};
    }),
  ];
}
