import type { SpecificationEntry } from '../specification-entry.js';
import {
  BOUNDARIES,
  CONSOLE_APP,
  CONTRACTS,
  MAIN_JOB,
  PROJECTION,
  SANDBOX,
  SURFACES,
} from '../test-files.js';

/** The introduction and the part "What the service does". */
export const WHAT_THE_SERVICE_DOES: readonly SpecificationEntry[] = [
  {
    at: 'Introduction',
    says: 'This document covers the whole service: the inbound API (leads, appointments, contractor job pull), the installer API v1 (job change feed, status events, schedules, technicians, assignments), the signed webhook deliveries, and the limits, errors and versioning rules.',
    requiresNothing: 'says what the document is about',
  },
  {
    at: 'Introduction',
    says: "The service is called 'the service'.",
    requiresNothing: 'a name',
  },
  {
    at: 'Introduction',
    says: 'Its base address is {base_url}; every API path below is relative to it, except the console paths (beginning /partner-api), whose relation to {base_url} is given only as written.',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
    },
  },
  {
    at: 'What the service does / rule 1',
    says: 'The service gives partner companies programmatic access to sales and installation work.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
    },
  },
  {
    at: 'What the service does / rule 2',
    says: 'Inbound surface (`/inbound`): creates or merges sales leads, books appointments, lists sold jobs for an installer-contractor key, and appends installer notes to a job.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
      [MAIN_JOB]: [
        'a lead > is created, then merged by its address, and a repeat with its key gives the original answer',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
      ],
    },
  },
  {
    at: 'What the service does / rule 3',
    says: 'Installer surface (`/partner/v1`): lets an installer company read jobs assigned to it as an installer-safe projection, post status events, set or cancel schedules, list its technicians and replace technician assignments on a job.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
        'a resource > Technician has exactly the fields of the specification, and the list is that of the company',
        'a job > has its technicians replaced as a whole, in the order given',
      ],
    },
  },
  {
    at: 'What the service does / rule 4',
    says: 'Webhooks: signed HTTPS deliveries to a company-registered endpoint when subscribed events occur.',
    provedBy: {
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'What the service does / rule 5',
    says: 'Console API: owner sessions manage webhook subscriptions and secrets.',
    provedBy: {
      [MAIN_JOB]: ['a subscription > starts paused and is activated only after a verified test delivery'],
      [CONSOLE_APP]: [
        'a webhook subscription > is created paused, shows its secret once, is tested and then activated',
        'a webhook subscription > gets another secret, shown once, tried by a test and then activated',
      ],
    },
  },
  {
    at: 'What the service does / rule 6',
    says: 'Installer-safe job projection: customer email, prices, costs, margin, financing, payments and signatures are never present in it.',
    provedBy: {
      [PROJECTION]: ['the projection > lets nothing through that is not listed, at any depth'],
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
    },
  },
  {
    at: 'What the service does / rule 7',
    says: 'A sandbox environment exists with synthetic data and sandbox keys. Changes reach the sandbox at least two weeks before production.',
    provedBy: {
      [SANDBOX]: [
        'the sandbox > has companies of each class whose owners can log in and whose keys are valid',
        'the sandbox > has dozens of jobs in every status, whose feed and history tell one story',
      ],
    },
  },
];
