import { expect, test } from '@jest/globals';
import {
  technicalContact,
  technicalContactRequested,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { expectError, send } from '../surfaces/send.js';
import { signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

const PATH = '/partner-api/technical-contact';

/** Who learns of new versions, as owners and readers of the mailed link meet it. The stack has no mail server. */
export function describeTechnicalContact(world: () => AcceptanceWorld): void {
  const ownerOf = (companyClass: 'SALES' | 'INSTALLER') => {
    const [company] = world().stack.companies(companyClass);
    if (company === undefined) throw new Error(`the sandbox has no company of class ${companyClass}`);
    return signIn(world().stack.baseUrl, company.owner);
  };

  test('is pending for the company that has set it and for no other, and says that no email was sent [ANNOUNCE-1, ANNOUNCE-6]', async () => {
    const [owner, other] = [await ownerOf('SALES'), await ownerOf('INSTALLER')];
    const answer = await owner.call('PUT', PATH, { email: 'dev@acceptance.example' });
    expect(answer.status).toBe(200);
    expect(technicalContactRequested.parse(answer.json)).toMatchObject({
      email: null,
      pending: { email: 'dev@acceptance.example' },
      emailSent: false,
    });
    const read = technicalContact.parse((await owner.call('GET', PATH)).json);
    expect(read.pending?.email).toBe('dev@acceptance.example');
    expect((await other.call('GET', PATH)).text).not.toContain('dev@acceptance.example');
  });

  test('is refused without an address, and without a session [ANNOUNCE-1]', async () => {
    const owner = await ownerOf('SALES');
    const malformed = await owner.call('PUT', PATH, { email: 'dev at acceptance' });
    expect([malformed.status, malformed.json]).toMatchObject([400, { code: 'invalid_argument' }]);
    const nobody = await owner.call('PUT', PATH, { email: 'dev@acceptance.example' }, { cookie: '' });
    expect([nobody.status, nobody.json]).toMatchObject([401, { code: 'unauthenticated' }]);
  });

  test('is confirmed by no made-up link, without a session [ANNOUNCE-4]', async () => {
    const { baseUrl } = world().stack;
    const headers = { origin: new URL(baseUrl).origin };
    const answer = await send(baseUrl, {
      method: 'POST',
      path: `${PATH}/confirm`,
      headers,
      json: { token: 'made-up' },
    });
    expect(expectError(answer, 404, 'not_found').error).toMatch(/^this link does not work/);
  });
}
