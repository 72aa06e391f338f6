import {
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import {
  subscription,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import type { z } from 'zod';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { call, expectStatus } from './http-call.js';

export interface OwnerSession {
  /** What every request of the page carries: for one that `call` does not make. */
  readonly headers: Readonly<Record<'cookie' | 'origin', string>>;
  /** Sends a request of the console's own page, unless `headers` say otherwise. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse>;
}

/** Signs an owner in, as a browser would. Throws with the response when it is refused. */
export async function signIn(
  baseUrl: string,
  owner: { readonly email: string; readonly password: string },
): Promise<OwnerSession> {
  const origin = new URL(baseUrl).origin;
  const response = await call(baseUrl, '/partner-api/session', {
    method: 'POST',
    headers: { origin },
    body: owner,
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!/^20[01]$/.test(String(response.status)) || cookie === undefined) {
    throw new Error(`the owner could not sign in: ${response.status} ${response.text}`);
  }
  return {
    headers: { cookie, origin },
    call: (method, path, body, headers = {}) =>
      call(baseUrl, path, {
        method,
        headers: { cookie, origin, ...headers },
        ...(method === 'GET' ? {} : { body: body ?? {} }),
      }),
  };
}

/** Creates a subscription, has its endpoint verified by a test delivery, and activates it, as an owner would. */
export async function createActiveSubscription(
  session: Pick<OwnerSession, 'call'>,
  options: {
    readonly url: string;
    readonly events: readonly string[];
    readonly description?: string;
    readonly asymmetricSignature?: boolean;
    readonly ordered?: boolean;
  },
): Promise<{ readonly id: string; readonly secret: string }> {
  const created = await expectStatus(201, session.call('POST', '/partner-api/webhooks', options));
  const { subscription: made, secret } = subscriptionCreated.parse(created.json);
  await sendTestDelivery(session, made.id);
  await expectStatus(200, session.call('POST', `/partner-api/webhooks/${made.id}/activate`));
  return { id: made.id, secret };
}

/** Sends a test delivery and waits until it has been delivered. */
export async function sendTestDelivery(
  session: Pick<OwnerSession, 'call'>,
  subscriptionId: string,
): Promise<string> {
  const sent = await expectStatus(202, session.call('POST', `/partner-api/webhooks/${subscriptionId}/test`));
  const { id } = delivery.parse(sent.json);
  await waitForDelivery(session, id, (state) => state === 'delivered');
  return id;
}

/** Polls a delivery until its state satisfies the condition. */
export async function waitForDelivery(
  session: Pick<OwnerSession, 'call'>,
  deliveryId: string,
  condition: (state: string, attempts: number) => boolean,
  timeoutMs = 240_000,
): Promise<z.infer<typeof deliveryWithAttempts>> {
  let last = '';
  return eventually(
    () => `the delivery reaches the state; the last: ${last}`,
    async () => {
      const response = await expectStatus(200, session.call('GET', `/partner-api/deliveries/${deliveryId}`));
      last = response.text;
      const found = deliveryWithAttempts.parse(response.json);
      return condition(found.delivery.state, found.attempts.length) && found;
    },
    { timeoutMs, everyMs: 50 },
  );
}

export async function readSubscription(
  session: OwnerSession,
  subscriptionId: string,
): Promise<z.infer<typeof subscription>> {
  const response = await session.call('GET', `/partner-api/webhooks/${subscriptionId}`);
  return subscription.parse(response.json);
}

export async function readDeliveries(
  session: OwnerSession,
  subscriptionId: string,
): Promise<z.infer<typeof deliveryPage>> {
  const response = await session.call('GET', `/partner-api/webhooks/${subscriptionId}/deliveries?limit=100`);
  return deliveryPage.parse(response.json);
}
