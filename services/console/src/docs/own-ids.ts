import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { listCompanyDeliveriesOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { listWebhooksOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { subscriptionList } from '@partner/proto-contracts/resources/subscription/subscription';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callerOf, clientOriginOf } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { isStillOwner } from '../sessions/session-access.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { PATHS } from './render-page.js';

const OPERATION = { id: 'getOwnIds', method: 'get', path: PATHS.ownIds, unauthenticated: true } as const;

/** A test is about a webhook. One of the last deliveries is about something else. */
const READ_DELIVERIES = 20;

/**
 * Serves the newest ids of the company that is signed in, by their prefix: of its last deliveries, and of its newest webhook.
 * The reference shows them in its examples. Without a session there are none. It does not prolong the session.
 */
export function ownIdsEndpoint(
  deps: Pick<ConsoleDeps, 'cookie' | 'sessions' | 'operations' | 'logger' | 'clock'>,
): AnyEndpoint<OwnerSession> {
  return serveOperation(OPERATION, async (request) => {
    const headers = { 'cache-control': 'private, no-store' };
    const token = deps.cookie.read(request.header('cookie'));
    const session = token === undefined ? undefined : await deps.sessions.find(token, { prolongs: false });
    if (session === undefined || !(await isStillOwner(deps, session, request.call)))
      return { status: 200, headers, json: {} };
    const caller = callerOf(session, clientOriginOf(request));
    const read = async (operation: AnyOperation, query: object): Promise<unknown> => {
      const sent = { caller, params: {}, query, body: undefined };
      return JSON.parse((await deps.operations.call(operation, sent, request.call)).json);
    };
    const [listed, webhooks] = await Promise.all([
      read(listCompanyDeliveriesOperation, { limit: String(READ_DELIVERIES) }),
      read(listWebhooksOperation, {}),
    ]);
    const { deliveries } = deliveryPage.pick({ deliveries: true }).parse(listed);
    // The webhook of a delivery may be deleted.
    const webhook = subscriptionList.parse(webhooks).subscriptions.at(-1);
    const newestFirst = deliveries.flatMap(({ resource, eventId, id }) => [resource.id, eventId, id]);
    if (webhook !== undefined) newestFirst.unshift(webhook.id);
    const ids = Object.fromEntries(newestFirst.reverse().map((id) => [id.slice(0, id.indexOf('_')), id]));
    return { status: 200, headers, json: { company: session.companyName, ids } };
  });
}
