import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import {
  subscription,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { z } from 'zod';
import { readReceived, bytesOf } from '../receiver/request-log.js';
import { registerSecret } from '../receiver/known-secrets.js';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';

type Headers = Readonly<Record<string, string>>;

export type StackClient = ReturnType<typeof createStackClient>;

export function createStackClient({ baseUrl, receiver }: StackDescription, signal: AbortSignal) {
  const browser = { origin: new URL(baseUrl).origin };
  const polling = { everyMs: 200, signal };

  /** Sends a request; a POST if it has a body. Rejects for another status or body than expected. */
  async function call<S extends z.ZodType>(
    path: string,
    headers: Headers,
    [status, schema]: readonly [number, S],
    body?: unknown,
  ) {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await sendCall(baseUrl, path, { method, headers, body, signal });
    if (response.status !== status)
      throw new Error(`${method} ${path} returned ${response.status}, not ${status}: ${response.text}`);
    return { data: schema.parse(response.json), response };
  }

  return {
    call,
    until: <T>(what: string, probe: () => Promise<T | undefined | false>) => eventually(what, probe, polling),
    webhook: (path: string, event: string, isIt: (body: string, status: number) => boolean = () => true) =>
      eventually(
        `${event} at the receiver`,
        async () =>
          (await readReceived(receiver.logFile, path)).find(
            (request) =>
              request.headers['x-svc-event'] === event && isIt(bytesOf(request).toString(), request.status),
          ),
        polling,
      ),
    async signIn({ owner }: SandboxCompany): Promise<Headers> {
      const { response } = await call('/partner-api/session', browser, [200, sessionResponse], owner);
      return { ...browser, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    },
    async subscribe(
      owner: Headers,
      path: string,
      wanted: { readonly events: readonly string[]; readonly description: string },
    ) {
      const body = { url: `${receiver.url}${path}`, ...wanted };
      const { data } = await call('/partner-api/webhooks', owner, [201, subscriptionCreated], body);
      const { id, secretVersion: version } = data.subscription;
      await registerSecret(receiver, { version, secret: data.secret, path, subscriptionId: id });
      return id;
    },
    sendTest: (owner: Headers, id: string) =>
      call(`/partner-api/webhooks/${id}/test`, owner, [202, z.unknown()], {}),
    async activate(owner: Headers, id: string) {
      const path = `/partner-api/webhooks/${id}`;
      await eventually(
        'the result of the test delivery',
        async () => (await call(path, owner, [200, subscription])).data.verified,
        polling,
      );
      return (await call(`${path}/activate`, owner, [200, subscription], {})).data;
    },
  };
}
