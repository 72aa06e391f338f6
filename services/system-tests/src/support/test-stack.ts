import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { connectPublisher } from '@partner/local-stack/demo/platform';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import type { ServiceName } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { StackOptions } from '@partner/local-stack/stack/stack-plan';
import { type Stack, startStack } from '@partner/local-stack/stack/start-stack';
import { stackFiles } from '@partner/local-stack/stack/stack-state';
import {
  type JobStatusChanged,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { PARTNER_EVENTS, PARTNER_EVENTS_FOR_PLATFORM, PLATFORM } from '@partner/proto-contracts/topology';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import pg from 'pg';
import { Registry } from 'prom-client';
import { takeSandboxShare } from './sandbox-share.js';
import {
  type ReceivedWebhook,
  type ReceiverResponse,
  startWebhookReceiver,
  type WebhookReceiver,
} from './webhook-receiver.js';

interface PlatformMessage {
  readonly type: string;
  readonly body: Uint8Array;
}

/** A whole separate stack, with a receiver inside the test and the platform played by the test. */
export interface TestStack {
  readonly stack: Stack;
  readonly baseUrl: string;
  readonly receiver: WebhookReceiver;
  /** The URL of a subscription that leads to the receiver. */
  readonly receiverUrl: string;
  readonly database: pg.Pool;
  /** Publishes a message of the platform and resolves to its id once the broker has confirmed it. */
  publishFromPlatform<Desc extends DescMessage>(
    schema: Desc,
    message: MessageInitShape<Desc>,
  ): Promise<string>;
  /** Resolves once the service has applied or refused messages of the platform. */
  messagesAreSettled(messageIds: readonly string[]): Promise<void>;
  /** Messages that the platform has received so far, duplicates included. */
  readonly toPlatform: readonly PlatformMessage[];
  /** Resolves once the platform has received everything that the service has committed. */
  platformIsUpToDate(): Promise<void>;
  /** Resolves once every delivery and every bulk replay has finished. */
  deliveriesAreFinished(timeoutMs?: number): Promise<void>;
  readonly receivedStatusChanges: readonly JobStatusChanged[];
  companies(companyClass: SandboxCompany['class']): readonly SandboxCompany[];
  /** The company at a place among those of a class. Throws if the sandbox has fewer. */
  company(companyClass: SandboxCompany['class'], place?: number): SandboxCompany;
  stop(): Promise<void>;
}

/** The API key of a kind that a company of the sandbox has. */
export function apiKeyOf(company: SandboxCompany, kind: SandboxCompany['keys'][number]['kind']): string {
  const key = company.keys.find((candidate) => candidate.kind === kind);
  if (key === undefined) throw new Error(`${company.name} has no key of kind ${kind}`);
  return key.apiKey;
}

/** Type of the message after which the platform has received all earlier ones. */
const LAST_MESSAGE = 'test.Last';

const USERS_OF_REDIS = ['inbound-gateway', 'installer-gateway', 'console'] as const;

/** So that Redis is not taken for one that hangs while all processors of the machine are busy. */
const PATIENT = { REDIS_TIMEOUT_MS: '3000' } as const;

async function serversOf(
  backingServices: StackOptions['backingServices'] | undefined,
): Promise<{ readonly backingServices: StackOptions['backingServices']; release(): Promise<void> }> {
  if (backingServices !== undefined) return { backingServices, release: () => Promise.resolve() };
  const { release, ...given } = await takeSandboxShare();
  return { backingServices: { kind: 'given', ...given }, release };
}

/** Connects to the broker as the platform does, and collects what it receives. */
async function connectPlatform(amqpUrl: string) {
  const publisher = await connectPublisher(amqpUrl, 'platform', AbortSignal.timeout(120_000));
  const toPlatform: PlatformMessage[] = [];
  const lastMessages = new Set<string>();
  const receivedStatusChanges: JobStatusChanged[] = [];
  const platformConsumer = startConsumer({
    connection: publisher.connection,
    queue: PARTNER_EVENTS_FOR_PLATFORM,
    prefetch: 50,
    logger: silentLogger,
    metrics: new Registry(),
    handle: ({ type, messageId, body }) => {
      if (type === LAST_MESSAGE) lastMessages.add(messageId);
      else toPlatform.push({ type, body });
      if (type === JobStatusChangedSchema.typeName)
        receivedStatusChanges.push(fromBinary(JobStatusChangedSchema, body));
      return Promise.resolve({ kind: 'done' });
    },
  });
  return { publisher, platformConsumer, toPlatform, lastMessages, receivedStatusChanges };
}

export async function startTestStack(options: {
  readonly settings?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  /** Replicas of a service; one without it. */
  readonly replicas?: Readonly<Partial<Record<ServiceName, number>>>;
  /**
   * Where Postgres, RabbitMQ and Redis come from: its own share of the servers of the test run without it. A test that
   * stops, stalls or watches a server asks for private ones.
   */
  readonly backingServices?: StackOptions['backingServices'];
  readonly respond?: (webhook: Omit<ReceivedWebhook, 'responseStatus'>) => number | ReceiverResponse;
}): Promise<TestStack> {
  const root = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(path.join(root, 'system-test-'));
  const certificates = await ensureCertificates(stackFiles(directory).receiver, RECEIVER_HOST);
  const receiver = await startWebhookReceiver({
    key: readFileSync(certificates.keyFile, 'utf8'),
    cert: readFileSync(certificates.certificateFile, 'utf8'),
    ...(options.respond === undefined ? {} : { respond: options.respond }),
  });
  const servers = await serversOf(options.backingServices);
  const stack = await startStack({
    directory,
    backingServices: servers.backingServices,
    proxyPort: 0,
    devHosts: { [RECEIVER_HOST]: `127.0.0.1:${receiver.port}` },
    settings: {
      ...options.settings,
      ...Object.fromEntries(
        USERS_OF_REDIS.map((service) => [service, { ...PATIENT, ...options.settings?.[service] }]),
      ),
    },
    ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
  }).catch(async (error: unknown) => {
    // Or it would keep the test's process from ending.
    await receiver.close();
    await servers.release();
    throw error;
  });
  const { baseUrl, companies, amqpUrl, postgresUrl } = stack.description;
  const database = new pg.Pool({ connectionString: postgresUrl, max: 2 });
  // The server is killed in some tests; each query says itself when it fails.
  database.on('error', () => undefined);
  const { publisher, platformConsumer, toPlatform, lastMessages, receivedStatusChanges } =
    await connectPlatform(amqpUrl);
  const ofClass = (companyClass: SandboxCompany['class']) =>
    companies.filter((company) => company.class === companyClass);
  return {
    stack,
    baseUrl,
    receiver,
    toPlatform,
    receivedStatusChanges,
    receiverUrl: `https://${RECEIVER_HOST}/webhooks`,
    database,
    async publishFromPlatform(schema, message) {
      const messageId = newId('evt');
      await eventually('a connection to RabbitMQ', () => publisher.connection.isReady());
      await publisher.publish({
        exchange: PLATFORM,
        routingKey: schema.typeName,
        messageId,
        type: schema.typeName,
        body: toBinary(schema, create(schema, message)),
      });
      return messageId;
    },
    async messagesAreSettled(messageIds) {
      await eventually('the messages of the platform are settled', async () => {
        const settled = await database.query(
          'select 1 from inbox where message_id = any($1) and prerequisite_id is null',
          [messageIds],
        );
        return settled.rowCount === messageIds.length;
      });
    },
    async platformIsUpToDate() {
      await eventually('the outbox is empty', async () => {
        const left = await database.query('select 1 from outbox limit 1');
        return left.rowCount === 0;
      });
      const messageId = newId('evt');
      await publisher.publish({
        exchange: PARTNER_EVENTS,
        routingKey: LAST_MESSAGE,
        messageId,
        type: LAST_MESSAGE,
        body: new Uint8Array(),
      });
      await eventually('the platform receives the last message', () => lastMessages.has(messageId));
    },
    async deliveriesAreFinished(timeoutMs = 120_000) {
      await eventually(
        async () => {
          const { rows } = await database.query('select * from deliveries order by id limit 5');
          return `every delivery finishes; left: ${JSON.stringify(rows)}`;
        },
        async () => {
          const left = await database.query(
            `select from deliveries union all select from bulk_replays where state = 'running' limit 1`,
          );
          return left.rowCount === 0;
        },
        { timeoutMs, everyMs: 100 },
      );
    },
    companies: ofClass,
    company(companyClass, place = 0) {
      const company = ofClass(companyClass)[place];
      if (company === undefined)
        throw new Error(`the sandbox has too few companies of class ${companyClass}`);
      return company;
    },
    async stop() {
      await platformConsumer.stop();
      await publisher.close();
      await database.end();
      await stack.discard();
      await servers.release();
      await receiver.close();
    },
  };
}
