import {
  delivery as deliverySchema,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import {
  subscription,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { eventually } from '@partner/test-kit/eventually';
import { registerSecret } from '../receiver/register-secret.js';
import type { SandboxCompany } from '../stack/stack-description.js';
import { createDemoCaller, type DemoCaller } from './demo-caller.js';
import { type Demo, headersOf } from './demo.js';

/** The demo prints a longer backoff instead of waiting for it. */
const LONGEST_WAIT_MS = 10_000;

/** A subscription of the demo to a path of the example receiver. */
export interface DemoSubscription {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/** Signs in as the owner of a company. */
export async function signIn(
  { description: { baseUrl }, show, signal }: Demo,
  company: SandboxCompany,
): Promise<DemoCaller> {
  show.step(`The owner of ${company.name} signs in at the console`);
  const { origin } = new URL(baseUrl);
  const browser = createDemoCaller({ baseUrl, show, signal }, { origin });
  const { data, response } = await browser.post('/partner-api/session', 200, sessionResponse, company.owner);
  show.prove(data.company.id === company.id, `a session cookie for ${company.name} was set`);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return createDemoCaller({ baseUrl, show, signal }, { origin, cookie, 'content-type': 'application/json' });
}

/** Creates, tests and activates a subscription. */
export async function playSubscription(demo: Demo, owner: DemoCaller): Promise<DemoSubscription> {
  demo.show.step('The owner creates a webhook subscription to the example receiver');
  const hook = await subscribe(demo, owner, {
    path: `/demo/${demo.run}`,
    events: ['install.*'],
    description: `demo ${demo.run}`,
  });
  await testAndActivate(demo, owner, hook);
  return hook;
}

/** Sends a test delivery, and activates the subscription once it has verified. */
export async function testAndActivate(demo: Demo, owner: DemoCaller, hook: DemoSubscription): Promise<void> {
  const { show, watcher, signal } = demo;
  show.step('The owner sends a test delivery');
  await sendTest(owner, hook);
  const test = await watcher.event(hook.path, 'install.test');
  show.show('the receiver got', headersOf(test));
  show.prove(test.verified === true, 'the receiver verified both signatures over the raw bytes');

  show.step('The owner activates the subscription');
  const path = `/partner-api/webhooks/${hook.id}`;
  await eventually(
    'the console receives the result of the test delivery',
    async () => (await owner.quietly(path, subscription)).verified,
    { everyMs: 200, signal },
  );
  const { data: activated } = await owner.post(`${path}/activate`, 200, subscription);
  show.prove(activated.state === 'active', 'it is active, because its test delivery was verified');
}

/** Creates a subscription and sends its secret to the receiver. */
export async function subscribe(
  { description: { receiver }, show }: Demo,
  owner: DemoCaller,
  { path, events, description }: { path: string; events: readonly string[]; description: string },
): Promise<DemoSubscription> {
  const { data: created } = await owner.post('/partner-api/webhooks', 201, subscriptionCreated, {
    url: `${receiver.url}${path}`,
    events,
    description,
  });
  const { secret } = created;
  const { id, secretVersion: version, state } = created.subscription;
  await registerSecret(receiver, { version, secret, path, subscriptionId: id });
  show.prove(
    state === 'paused',
    'it starts paused; its secret is shown only this once, and the demo has sent it to the receiver',
  );
  return { id, path, secret };
}

/** Requests a test delivery. */
async function sendTest(owner: DemoCaller, { id }: DemoSubscription) {
  return (await owner.post(`/partner-api/webhooks/${id}/test`, 202, deliverySchema)).data;
}

/** Shows that a server which first returns 503 receives the delivery again. */
export async function playFailingServer(demo: Demo, owner: DemoCaller): Promise<void> {
  const { show, watcher, signal, retryBaseMs } = demo;
  show.step('A server that first fails receives the webhook again');
  const hook = await subscribe(demo, owner, {
    path: `/fail/503/1/demo-${demo.run}`,
    events: ['install.*'],
    description: `demo ${demo.run}`,
  });
  const { id } = await sendTest(owner, hook);
  const refused = await watcher.received(hook.path, 'the first attempt', ({ status }) => status === 503);
  show.show('the receiver returned 503 to', headersOf(refused));

  const waits = retryBaseMs <= LONGEST_WAIT_MS;
  const path = `/partner-api/deliveries/${id}`;
  const { delivery, attempts } = await eventually(
    'the console shows the result of the attempt',
    async () => {
      const found = await owner.quietly(path, deliveryWithAttempts);
      return found.delivery.state === (waits ? 'delivered' : 'retry_scheduled') && found;
    },
    { everyMs: 250, signal },
  );
  owner.showRead(path, '-> 200', { delivery, attempts });
  if (!waits) {
    show.prove(
      delivery.nextAttemptAt !== null,
      `the next attempt is scheduled for ${delivery.nextAttemptAt ?? ''}: this stack waits ${retryBaseMs / 1000} s` +
        ' before a first retry (a stack that the demo starts itself waits 2 s)',
    );
    return;
  }
  const again = await watcher.received(hook.path, 'the second attempt', ({ status }) => status === 200);
  show.show('the receiver then returned 200 to', headersOf(again));
  show.prove(
    again.headers['webhook-id'] === refused.headers['webhook-id'] && again.body === refused.body,
    'the retry has the same event id and body',
  );
  show.prove(
    again.headers['x-svc-delivery-id'] !== refused.headers['x-svc-delivery-id'] && again.verified === true,
    'with a new delivery id, timestamp and signature, verified',
  );
  show.prove(
    attempts.length === 2,
    `the console shows both attempts; this stack waits ${retryBaseMs} ms before a first retry instead of 60 s`,
  );
}
