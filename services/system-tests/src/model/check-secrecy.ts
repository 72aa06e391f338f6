import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import type { Caller, Following, PartnerEvent, Read, ReceivedResponse, Sending } from './history.js';
import type { Markers, Visibility } from './markers.js';
import type { Timeline } from './timeline.js';
import type { World } from './world.js';

/** A piece of text that came to a company. */
interface Disclosure {
  readonly companyId: string;
  readonly boundCompanyId: string | undefined;
  readonly text: string;
  /** What the company has sent itself to get it: an echo discloses nothing. */
  readonly request: string;
  /** Within which time it was made. A repeat shows a job only to who sees it then, so it is made then too. */
  readonly from: number;
  readonly to: number;
  readonly where: string;
}

/**
 * Checks every byte that came out: nothing of another company in any answer or webhook, and no canary or secret in anything,
 * service logs included (spec: What the service does 6; Errors; decisions: Tenants, keys, boundaries).
 */
export function checkSecrecy(given: {
  readonly world: Pick<World, 'subscriptions' | 'jobs'>;
  readonly timeline: Timeline;
  readonly markers: Markers;
  readonly sendings: readonly Sending[];
  readonly reads: readonly Read[];
  readonly followings: readonly Following[];
  readonly webhooks: readonly ReceivedWebhook[];
  readonly heard: readonly PartnerEvent[];
  /** Name and text of each. */
  readonly logs: ReadonlyMap<string, string>;
}): string[] {
  const { markers } = given;
  const faults: string[] = [];
  for (const disclosure of disclosures(given)) {
    const secrets = markers.findSecrets(disclosure.text);
    if (secrets.length > 0)
      faults.push(`${disclosure.where} holds ${secrets.join(', ')}: ${around(disclosure.text, secrets[0])}`);
    for (const { text, visibility } of markers.findMarked(disclosure.text)) {
      if (disclosure.request.includes(text) || maySee(disclosure, visibility, given)) continue;
      faults.push(
        `${disclosure.where} shows ${disclosure.companyId} what only ${JSON.stringify(visibility)} may see: ${around(disclosure.text, text)}`,
      );
    }
  }
  // The platform hears of a lead with the email address; of nothing else that is kept from partners.
  for (const { type, messageId, body } of given.heard) {
    if (type === LeadCreatedSchema.typeName || type === LeadMergedSchema.typeName) continue;
    for (const secret of markers.findSecrets(Buffer.from(body).toString('latin1'))) {
      faults.push(`message ${messageId} (${type}) to the platform holds ${secret}`);
    }
  }
  for (const [name, text] of given.logs) {
    for (const secret of [...markers.findSecrets(text), ...markers.findMarkers(text)]) {
      faults.push(`the log of ${name} holds ${secret}: ${around(text, secret)}`);
    }
  }
  return faults;
}

function maySee(
  { companyId, boundCompanyId, from, to }: Disclosure,
  visibility: Visibility,
  { world, timeline }: { readonly world: Pick<World, 'jobs'>; readonly timeline: Timeline },
): boolean {
  switch (visibility.to) {
    case 'company':
      return visibility.companyId === companyId;
    case 'company and its installers':
      return (
        visibility.companyId === companyId ||
        world.jobs.some(
          ({ id, sellerId }) =>
            sellerId === visibility.companyId && canHaveHad(timeline, id, companyId, -Infinity, to),
        )
      );
    case 'viewers of job': {
      const seller = world.jobs.find(({ id }) => id === visibility.jobId)?.sellerId;
      const installer = seller === companyId ? boundCompanyId : companyId;
      return installer !== undefined && canHaveHad(timeline, visibility.jobId, installer, from, to);
    }
  }
}

/** True as well for a job whose history is not understood: that is a fault of its own. */
function canHaveHad(timeline: Timeline, jobId: string, companyId: string, from: number, to: number): boolean {
  return timeline.chain(jobId) === undefined || timeline.canHaveHad(jobId, companyId, from, to);
}

function* disclosures(given: {
  readonly world: Pick<World, 'subscriptions'>;
  readonly sendings: readonly Sending[];
  readonly reads: readonly Read[];
  readonly followings: readonly Following[];
  readonly webhooks: readonly ReceivedWebhook[];
}): Generator<Disclosure> {
  const owner = ({ companyId, boundCompanyId }: Caller) => ({ companyId, boundCompanyId });
  for (const { id, request, tries } of given.sendings) {
    for (const { answer, sentAt, endedAt } of tries) {
      if (answer === undefined) continue;
      yield {
        ...owner(request.caller),
        text: bytesOf(answer),
        request: request.path + JSON.stringify(request.body),
        from: sentAt,
        to: endedAt,
        where: `#${id} ${request.method} ${request.path}`,
      };
    }
  }
  for (const { id, caller, path, answer, sentAt, endedAt } of given.reads) {
    yield {
      ...owner(caller),
      text: bytesOf(answer),
      request: path,
      from: sentAt,
      to: endedAt,
      where: `#${id} GET ${path}`,
    };
  }
  for (const { caller, pages } of given.followings) {
    for (const { path, answer, sentAt, endedAt } of pages) {
      yield {
        ...owner(caller),
        text: bytesOf(answer),
        request: path,
        from: sentAt,
        to: endedAt,
        where: `GET ${path}`,
      };
    }
  }
  for (const { path, body, headers } of given.webhooks) {
    const subscription = given.world.subscriptions.find((candidate) => candidate.path === path);
    if (subscription === undefined) continue;
    yield {
      companyId: subscription.companyId,
      boundCompanyId: undefined,
      text: JSON.stringify(headers) + body.toString('utf8'),
      request: path,
      // A webhook may come long after what it tells of.
      from: -Infinity,
      to: Infinity,
      where: `a webhook at ${path}`,
    };
  }
}

function bytesOf({ text, headers }: ReceivedResponse): string {
  return JSON.stringify(headers) + text;
}

function around(text: string, found = ''): string {
  const place = text.indexOf(found);
  return `…${text.slice(Math.max(0, place - 200), place + found.length + 200)}…`;
}
