import type { ConsoleOperation } from '@partner/proto-contracts/surfaces/console';
import type { z } from 'zod';

/** Identifies an operation of the owners' API. */
export type OperationId = ConsoleOperation['id'];

type Named<Id extends OperationId> = Extract<ConsoleOperation, { readonly id: Id }>;

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

type Params<Id extends OperationId> = keyof NonNullable<Named<Id>['params']>;
type Body<Id extends OperationId> = Immutable<z.input<NonNullable<Named<Id>['body']>>>;
type Query<Id extends OperationId> = keyof z.output<NonNullable<Named<Id>['query']>>;
type JsonOf<Response> = Response extends { readonly schema?: z.ZodType<infer Json> } ? Json : never;

/** What a request of the operation holds beside its path. */
export type Input<Id extends OperationId> = {
  readonly query?: { readonly [Name in Query<Id>]?: string | number | undefined };
} & ([Params<Id>] extends [never]
  ? unknown
  : { readonly params: { readonly [Name in Params<Id>]: string } }) &
  (undefined extends Body<Id>
    ? { readonly body?: Exclude<Body<Id>, undefined> }
    : { readonly body: Body<Id> });

/** The JSON of a successful response. */
export type Output<Id extends OperationId> =
  Named<Id> extends { readonly responses: infer Responses } ? JsonOf<Responses[keyof Responses]> : never;

/** A webhook subscription as its owner sees it. */
export type Webhook = Output<'getWebhook'>;

/** A delivery: one event for one subscription. */
export type Delivery = Output<'replayDelivery'>;

/** State of a delivery. */
export type DeliveryState = Delivery['state'];

/** One attempt of a delivery. */
export type Attempt = Output<'getDelivery'>['attempts'][number];

/** A delivery in a list, with its last attempt. */
export type ListedDelivery = Output<'listDeliveries'>['deliveries'][number];

/** An API key as its owner sees it. */
export type ApiKey = Output<'listApiKeys'>['keys'][number];

/** Outcomes of the attempts to all subscriptions. */
export type CompanyStatistics = Output<'getStatistics'>;

/** The attempts to one subscription, and its waiting deliveries. */
export type WebhookTotals = CompanyStatistics['webhooks'][number];

/** Counts and durations of attempts. */
export type AttemptCounts = CompanyStatistics['totals'];

/** Counts and durations of the attempts that began within one bucket. */
export type StatisticsBucket = CompanyStatistics['buckets'][number];

/** Selection of a bulk replay. */
export type BulkReplayRequest = Omit<Input<'replayDeliveries'>['body'], 'preview'>;

/** What a test delivery is. */
export type TestBody = NonNullable<Input<'testWebhook'>['body']>;
