import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary, toJson } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { QuoteSentSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { PLATFORM } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { createPublisher, PATIENT_CONFIRM_TIMEOUT_MS } from '@partner/kernel/amqp/publisher';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';

/** Connects to the broker. `publish` resolves once the broker has confirmed the message. */
export async function connectPublisher(amqpUrl: string, name: string, signal: AbortSignal) {
  const surroundings = { logger: silentLogger, metrics: new Registry() };
  const connection = createAmqpConnection({ url: amqpUrl, name, ...surroundings });
  const { publish } = createPublisher({
    connection,
    confirmTimeoutMs: PATIENT_CONFIRM_TIMEOUT_MS,
    ...surroundings,
  });
  await eventually('a connection to RabbitMQ', () => connection.isReady(), { everyMs: 50, signal });
  return { connection, publish, close: () => connection.close() };
}

interface NewJob {
  readonly jobId: string;
  readonly sellingCompanyId: string;
  readonly customer?: MessageInitShape<typeof JobCreatedSchema>['customer'];
}

export function jobCreated({ customer, ...job }: NewJob): MessageInitShape<typeof JobCreatedSchema> {
  return {
    ...job,
    version: 1,
    workOrderNo: 'WO-1001',
    customer: customer ?? {
      name: 'Casey Morgan',
      phone: '+1 512 555 0142',
      line1: '12 North Maple Street',
      city: 'Austin',
      state: 'TX',
      zip: '78701',
    },
    scope: {
      packageName: 'Comfort heat pump',
      systemType: 'HVAC',
      equipment: [{ name: 'Heat pump, 3 ton', model: 'HP-3600', quantity: 1 }],
      accessories: [{ name: 'Line set, 25 ft', quantity: 1 }],
      supplierSources: [{ name: 'Harbor Supply', reference: 'PO-7781' }],
      scopeVersion: 1,
    },
    occurredAt: timestampNow(),
  };
}

/** Returns the message as JSON, as `partnerctl platform publish` reads it. */
export function jobCreatedJson(job: NewJob) {
  return toJson(JobCreatedSchema, create(JobCreatedSchema, jobCreated(job)));
}

export async function connectPlatform(amqpUrl: string, signal: AbortSignal) {
  const publisher = await connectPublisher(amqpUrl, 'demo platform', signal);

  function publish<Desc extends DescMessage>(schema: Desc, content: MessageInitShape<Desc>) {
    const { typeName: type } = schema;
    const body = toBinary(schema, create(schema, content));
    return publisher.publish({ exchange: PLATFORM, routingKey: type, type, messageId: randomUUID(), body });
  }

  return {
    createJob: (job: NewJob) =>
      publish(JobCreatedSchema, {
        ...jobCreated(job),
        workOrderNo: `WO-${job.jobId.slice(-6).toUpperCase()}`,
      }),
    assignJob: (jobId: string, installerCompanyId: string) =>
      publish(JobAssignedSchema, { jobId, version: 2, installerCompanyId, occurredAt: timestampNow() }),
    sendQuote: (quote: { readonly quoteId: string; readonly projectId: string }) =>
      publish(QuoteSentSchema, {
        ...quote,
        version: 1,
        total: { amountMinor: '1250000', currency: 'USD' },
        occurredAt: timestampNow(),
      }),
    close: publisher.close,
  };
}
