import { expect, test } from '@jest/globals';
import {
  type Subscription,
  SUBSCRIPTION_EXAMPLE,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { CONTACT_EXAMPLE } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import type { Configuration } from './configuration-file.js';
import { type CompanyState, planConfiguration } from './plan-configuration.js';
import { renderPlan } from './render-plan.js';

type Settings = Configuration['companies'][string];

const BOARD = { description: 'Board', url: 'https://hooks.example/a', events: ['install.*'] };

const existing = (fields: Partial<Subscription>): Subscription => ({
  ...SUBSCRIPTION_EXAMPLE,
  headerNames: [],
  ...BOARD,
  id: 'whk_board',
  ...fields,
});

function planOf(
  settings: Settings,
  webhooks: readonly Subscription[],
  { prune = false, ...state }: Partial<CompanyState> & { readonly prune?: boolean } = {},
) {
  const company = { id: 'cmp_1', name: 'Peak', class: 'INSTALLER' } as const;
  const states = new Map([['cmp_1', { company, webhooks, contact: CONTACT_EXAMPLE, ...state }]]);
  return planConfiguration({ companies: { cmp_1: settings } }, states, { prune });
}

const linesOf = (...args: Parameters<typeof planOf>) =>
  renderPlan(planOf(...args), new Map())
    .split('\n')
    .slice(1, -3)
    .map((line) => line.trim());

test('a webhook that is as the file has it, in another spelling, is unchanged, and so is what the file leaves out [CONFIG-1]', () => {
  const fields = { 'install.*': ['documents', 'status'] };
  const found = existing({ events: ['install.*', 'webhook.*'], deliveriesPerSecond: 5, fields });
  const wanted = {
    ...BOARD,
    url: 'https://HOOKS.example./a',
    events: ['webhook.*', 'install.*', 'install.*'],
    fields: { 'install.*': ['status', 'documents'] },
  };
  expect(planOf({ webhooks: [wanted] }, [found])).toEqual({ steps: [], unchanged: 1, violations: [] });
  expect(planOf({}, [found])).toEqual({ steps: [], unchanged: 0, violations: [] });
  const quoted = { ...BOARD, url: "https://HOOKS.example/a/../é?t='" };
  const stored = existing({ url: "https://hooks.example/a/../%C3%A9?t='" });
  expect(planOf({ webhooks: [quoted] }, [stored])).toEqual({ steps: [], unchanged: 1, violations: [] });
});

test('a file cannot move a webhook with custom headers to another host [WEBHOOK-14]', () => {
  const found = [existing({ headerNames: ['authorization'] })];
  expect(planOf({ webhooks: [{ ...BOARD, url: 'https://hooks.example/b' }] }, found).violations).toEqual([]);
  expect(planOf({ webhooks: [{ ...BOARD, url: 'https://other.example/a' }] }, found).violations).toEqual([
    { path: 'companies.cmp_1.webhooks.0.url', message: expect.stringContaining('(authorization)') },
  ]);
});

test('a webhook is found by its id, else by its description, else by its URL, so another URL is a change [CONFIG-1]', () => {
  const moved = 'https://hooks.example/b';
  const found = [existing({}), existing({ id: 'whk_2', description: 'Other', url: moved })];
  expect(linesOf({ webhooks: [{ ...BOARD, url: moved, deliveriesPerSecond: null }] }, found)).toEqual([
    '~ change whk_board "Board"',
    'url: https://hooks.example/a -> https://hooks.example/b',
    'this pauses it until the new URL is tested and it is activated',
    '! not in the file: whk_2 "Other", active, https://hooks.example/b',
  ]);
  expect(
    linesOf(
      {
        webhooks: [
          {
            ...BOARD,
            id: 'whk_2',
            deliveriesPerSecond: 9,
            ordered: true,
            fields: { 'install.*': ['status', 'documents'] },
          },
        ],
      },
      found.slice(1),
    ),
  ).toEqual([
    '~ change whk_2 "Other"',
    'url: https://hooks.example/b -> https://hooks.example/a',
    'description: Other -> Board',
    'deliveriesPerSecond: none -> 9',
    'fields: none -> install.* (status, documents)',
    'ordered: false -> true',
    'this pauses it until the new URL is tested and it is activated',
  ]);
  expect(linesOf({ webhooks: [{ ...BOARD, description: 'New name' }] }, [existing({})])).toEqual([
    '~ change whk_board "Board"',
    'description: Board -> New name',
  ]);
});

test('a URL identifies no webhook if several have it [CONFIG-1]', () => {
  const one = { ...BOARD, description: 'One' };
  const two = { ...BOARD, description: 'Two' };
  const kindsOf = (...args: Parameters<typeof planOf>) => planOf(...args).steps.map(({ kind }) => kind);
  expect(kindsOf({ webhooks: [one, two] }, [existing({})])).toEqual(['create', 'create', 'unlisted']);
  expect(kindsOf({ webhooks: [one] }, [existing({}), existing({ id: 'whk_2', description: 'X' })])).toEqual([
    'create',
    'unlisted',
    'unlisted',
  ]);
});

test('a webhook that the file does not have is deleted only with --prune [CONFIG-2]', () => {
  expect(linesOf({ webhooks: [] }, [existing({})])).toEqual([
    '! not in the file: whk_board "Board", active, https://hooks.example/a',
  ]);
  expect(linesOf({ webhooks: [] }, [existing({})], { prune: true })).toEqual([
    '- delete whk_board "Board", active, https://hooks.example/a',
    'this cancels its unfinished deliveries',
  ]);
  expect(linesOf({}, [existing({})], { prune: true })).toEqual([]);
  const moved = { ...BOARD, description: 'New', url: 'https://hooks.example/new' };
  expect(linesOf({ webhooks: [moved] }, [existing({})], { prune: true })[0]).toContain('- delete whk_board');
});

test('a technical contact that is confirmed or pending is unchanged [CONFIG-1]', () => {
  const pending = { email: 'new@sunny.example', expiresAt: CONTACT_EXAMPLE.confirmedAt };
  const contact = { ...CONTACT_EXAMPLE, pending };
  for (const technicalContact of [CONTACT_EXAMPLE.email, pending.email])
    expect(planOf({ technicalContact }, [], { contact })).toMatchObject({ steps: [], unchanged: 1 });
  expect(linesOf({ technicalContact: 'third@sunny.example' }, [], { contact })).toEqual([
    `~ technical contact: ${CONTACT_EXAMPLE.email} -> third@sunny.example, once the link that is mailed to it is confirmed`,
  ]);
});

test('a file that cannot be applied is refused before any change [CONFIG-6]', () => {
  const wanted = [
    { ...BOARD, events: ['quote.sent'] },
    { ...BOARD, id: 'whk_none' },
  ];
  const found = [existing({}), existing({ id: 'whk_2' })];
  expect(planOf({ webhooks: wanted }, found).violations).toEqual([
    {
      path: 'companies.cmp_1.webhooks.0.events.0',
      message: expect.stringMatching(/^must be allowed for the class INSTALLER: install\.job_assigned, /),
    },
    {
      path: 'companies.cmp_1.webhooks.0',
      message: 'several webhooks have this description: add the id of one of whk_board, whk_2',
    },
    { path: 'companies.cmp_1.webhooks.1', message: 'whk_none is not a webhook of this company' },
  ]);
  expect(planConfiguration({ companies: { cmp_9: {} } }, new Map(), { prune: false }).violations).toEqual([
    { path: 'companies.cmp_9', message: 'must be the id of a company that exists' },
  ]);
});
