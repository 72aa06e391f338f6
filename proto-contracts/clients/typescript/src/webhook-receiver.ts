import type { components } from './gen/schema.js';
import { eventKey, type Store } from './store.js';
import { publicKeysAt } from './public-keys.js';
import { requireVisible } from './require-visible.js';
import { explainedRefusal, type ReadHeader } from './verify-signature.js';

/** The envelope of a webhook, by the name of its `event`. An event that is not in this list can come without a new version. */
export type WebhookEvent = components['schemas']['WebhookEnvelope'];

/** What is known about a delivery besides its event. */
export interface Delivery {
  /** True: an event with a higher version of the same resource has been handled. Do not overwrite newer state with it. */
  readonly isStale: boolean;
  /** True: nothing happened, and the data can be an example. */
  readonly isTest: boolean;
  /** The event's number among those of the webhook. It has no gaps, so a missing number is a missed event. */
  readonly number: number | undefined;
  /** New in each attempt; the console finds the delivery by it. */
  readonly deliveryId: string | undefined;
  readonly subscriptionId: string | undefined;
}

export interface WebhookReceiverOptions {
  /** The signing secrets, `whsec_…`: one, and during a rotation also the pending one. None is needed with public keys. */
  readonly secrets?: readonly string[];
  /** Where the service lists the public keys of a webhook with asymmetric signatures: `https://…/.well-known/webhooks/whk_…`. */
  readonly publicKeysUrl?: string;
  /** Keeps the ids of handled events and the versions of resources. */
  readonly store: Store;
  /** Runs once for each event. If it throws, the sender retries. */
  readonly onEvent: (event: WebhookEvent, delivery: Delivery) => void | Promise<void>;
  /** Default 300, as the service recommends. */
  readonly toleranceSeconds?: number;
  readonly now?: () => number;
}

/** The response that a delivery gets. `error` is for the sender's log and names no secret. */
export interface WebhookResponse {
  readonly status: 204 | 400 | 401;
  readonly error?: string;
}

/** Handles deliveries independently of any web framework. */
export interface WebhookReceiver {
  /** `body` must be the raw bytes: JSON that was parsed and written again has another signature. Throws what `onEvent` throws, and if a delivery needs public keys and none could be read yet. */
  readonly receive: (
    headers:
      | Headers
      | Iterable<readonly [string, string]>
      | Readonly<Record<string, string | readonly string[] | undefined>>,
    body: Uint8Array | string,
  ) => Promise<WebhookResponse>;
}

/**
 * Creates a receiver that verifies each delivery and handles each event once. An event is recorded after `onEvent`, so one during
 * which the process ends comes again. Deliveries for one resource are handled one after another, within this process.
 */
export function createWebhookReceiver({
  secrets = [],
  publicKeysUrl,
  store,
  onEvent,
  toleranceSeconds = 300,
  now = Date.now,
}: WebhookReceiverOptions): WebhookReceiver {
  for (const secret of secrets) if (secret !== '') requireVisible('a secret', secret);
  const isWithoutKey = secrets.length === 0 && publicKeysUrl === undefined;
  if (isWithoutKey || secrets.some((secret) => !/^whsec_./.test(secret)))
    throw new TypeError('secrets must be at least one text of the form whsec_…');
  const publicKeys = publicKeysUrl === undefined ? undefined : publicKeysAt(publicKeysUrl, now);
  const inTurn = createTurns();
  return {
    async receive(headers, body) {
      const header = headerReader(headers);
      const bytes = bytesOf(body);
      const given = { secrets, toleranceSeconds, now: now() };
      const isAsymmetric = /(?:^| )v1a,/.test(header('webhook-signature') ?? '');
      const { known = [], read } = (isAsymmetric ? publicKeys?.() : undefined) ?? {};
      let refusal = await explainedRefusal(header, bytes, { ...given, publicKeys: known });
      // A key that is new since the earlier read can have signed.
      if (refusal !== undefined && read !== undefined)
        refusal = await explainedRefusal(header, bytes, { ...given, publicKeys: await read });
      if (refusal !== undefined) return { status: 401, error: refusal };
      const event = parseEvent(bytes);
      if (event === undefined) return { status: 400, error: 'the body is not a webhook envelope' };
      if ((header('webhook-id') ?? event.id) !== event.id)
        return { status: 400, error: 'webhook-id is not the id of the event' };
      const { type, id, version } = event.resource;
      await inTurn(`${type}:${id}`, async () => {
        if ((await store.get(eventKey(event.id))) !== undefined) return;
        const isTest = header('x-svc-test') === 'true';
        const versionKey = `version:${type}:${id}`;
        const handled = Number((await store.get(versionKey)) ?? 0);
        await onEvent(event, {
          isTest,
          isStale: !isTest && version < handled,
          number: numberIn(header('x-svc-number')),
          deliveryId: header('x-svc-delivery-id'),
          subscriptionId: header('x-svc-subscription-id'),
        });
        if (!isTest && version > handled) await store.set(versionKey, String(version));
        await store.set(eventKey(event.id), new Date(now()).toISOString());
      });
      return { status: 204 };
    },
  };
}

/** Runs work with the same key one after another. */
function createTurns(): (key: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const previous = last.get(key) ?? Promise.resolve();
    const turn = previous.catch(() => undefined).then(work);
    last.set(key, turn);
    try {
      await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}

/** Reads any mapping of headers: of another library or realm too. What is not a text is no header. */
function headerReader(headers: Parameters<WebhookReceiver['receive']>[0]): ReadHeader {
  const entries: readonly (readonly [unknown, unknown])[] = isIterable(headers)
    ? [...headers]
    : Object.entries(headers);
  const values = new Map<string, unknown>(
    entries.map(([name, value]) => [String(name).toLowerCase(), value]),
  );
  return (name) => {
    const value = values.get(name);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? first : undefined;
  };
}

function isIterable(value: object): value is Iterable<readonly [unknown, unknown]> {
  return Symbol.iterator in value;
}

/** The bytes of a body. Of one that was parsed, those that it would be written as: they explain the refusal. */
function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body))
    return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  return new Uint8Array(new TextEncoder().encode(typeof body === 'string' ? body : writtenJson(body)));
}

/** Undefined for what was never JSON, or is nested too deeply to be written. */
function writtenJson(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

/** A header is not signed, so anything can be in it. */
function numberIn(text = ''): number | undefined {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function parseEvent(body: Uint8Array): WebhookEvent | undefined {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body));
    return isWebhookEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isWebhookEvent(event: unknown): event is WebhookEvent {
  const fields = fieldsOf(event);
  const resource = fieldsOf(fields['resource']);
  return (
    // A lone surrogate cannot be a part of a key in a store.
    [fields['id'], fields['event'], resource['id'], resource['type']].every(
      (text) => typeof text === 'string' && !/\p{Surrogate}/u.test(text),
    ) && Number.isSafeInteger(resource['version'])
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
