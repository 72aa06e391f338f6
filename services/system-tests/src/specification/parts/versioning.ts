import type { SpecificationEntry } from '../specification-entry.js';
import {
  ANNOUNCEMENTS_BY_OPERATORS,
  API_VERSIONS,
  BOUNDARIES,
  CHART_VALUES,
  ENVELOPES,
  EVENTS,
  HTTP_APP,
  OPENAPI,
  SERVICE_METRICS,
  SURFACES,
} from '../test-files.js';

/** The part "Versioning". */
export const VERSIONING: readonly SpecificationEntry[] = [
  {
    at: 'Versioning / rule 1',
    says: 'The installer API is versioned by date. The current version is 2026-08-26, returned in header `x-svc-api-version` and in the apiVersion field of responses and of every webhook envelope.',
    provedBy: {
      [SURFACES]: [
        'the version of the installer API > may be pinned for $id to the current date, and any other date is a 400',
      ],
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [HTTP_APP]: ['every answer > says the API version on a versioned surface, errors included'],
    },
  },
  {
    at: 'Versioning / rule 2',
    says: 'Additive changes (new fields, events, optional parameters) ship without a version change; clients ignore unknown fields.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
      [OPENAPI]: ['answers and webhooks are open to fields that come later'],
    },
  },
  {
    at: 'Versioning / rule 3',
    says: 'Breaking changes ship as a new date. The previous date keeps working at least 90 days after the new one is announced on the changelog and by email to the technical contact.',
    provedBy: {
      [API_VERSIONS]: [
        'a version through its life > is the only one, then announced beside its predecessor, then the only one again',
        'a version through its life > has no end that comes less than 90 days after its successor is announced',
        'the versions of the installer API > are announced on the changelog',
        'a request that pins a version > gets the change feed as %s shows it',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
  {
    at: 'Versioning / rule 4',
    says: 'Webhook payloads carry schemaVersion (currently 1). A breaking payload change increments it and is delivered only to subscriptions that opted in.',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [EVENTS]: [
        'recordEvent > queues one delivery for each active subscription of the company that names the event or its group',
      ],
    },
  },
  {
    at: 'Versioning / rule 5',
    says: 'The sandbox receives changes at least two weeks before production.',
    provedBy: {
      [CHART_VALUES]: ['the chart of %s refuses > %s', 'the chart of %s takes %s'],
      [SERVICE_METRICS]: [
        'the metrics that every service has > tell whether it is ready, and which condition does not hold',
      ],
    },
  },
];
