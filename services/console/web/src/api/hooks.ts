import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { notifyFailure, notifySuccess } from '../notifications/notify.js';
import { ApiError, messageOf } from './api-client.js';
import { invalidateLive } from './live-changes.js';
import type { ConsoleOperation } from '@partner/proto-contracts/surfaces/console';
import type { z } from 'zod';

/** What follows an action. */
interface Outcome<Result> {
  /** What success shows. */
  readonly done?: string | ((result: Result) => string);
  readonly onDone?: ((result: Result) => void) | undefined;
  /** For a button without space for the error beside it. */
  readonly toastsFailure?: boolean;
}

/**
 * An action of the owner. `run` starts it; `isRunning` is true until it ends. The component shows its `error` beside the button.
 * Afterwards all live data is reloaded.
 */
export function useAction<Id extends OperationId>(id: Id, outcome: Outcome<Output<Id>> = {}) {
  return useTask((api, input: Input<Id>) => api.call(id, input), outcome);
}

/** An action that is more than one operation. */
export function useTask<Given, Result>(
  act: (api: ApiClient, given: Given) => Promise<Result>,
  outcome: Outcome<Result>,
) {
  const api = useApi();
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: (given: Given) => act(api, given),
    onSuccess: (result) => {
      const { done } = outcome;
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(result));
      outcome.onDone?.(result);
      // After signing out there is nothing left to reload.
      void invalidateLive(queries, [], { cancels: true });
    },
    onError: (error) => {
      const isSignedOut = error instanceof ApiError && error.status === 401;
      if (outcome.toastsFailure === true && !isSignedOut) {
        notifyFailure(messageOf(error));
      }
    },
  });
  return {
    run: mutation.mutate,
    isRunning: mutation.isPending,
    isDone: mutation.isSuccess,
    error: mutation.error,
    response: mutation.data,
    reset: mutation.reset,
  };
}

/** Loads the response of an operation and reloads it after changes. */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: {
    readonly enabled?: boolean;
    /** False for data that never changes. */
    readonly isLive?: boolean;
    /** For sums over many deliveries: reloaded every 30 seconds, not with each change. */
    readonly isSum?: boolean;
    /** Shows the response to the previous query until this one is loaded. */
    readonly keepsPrevious?: boolean;
  } = {},
) {
  const api = useApi();
  const { enabled = true, isLive = true, isSum = false, keepsPrevious = false } = options;
  const path = api.pathOf(id, input);
  return useQuery({
    queryKey: [path, input.query ?? {}],
    queryFn: ({ signal }) => api.call(id, input, signal),
    enabled,
    ...(isLive ? {} : { staleTime: Number.POSITIVE_INFINITY }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData<Output<Id>> } : {}),
    meta: { live: isLive, isSum, ...webhookOf(path) },
  });
}

/** Operations whose response is a page of a list. */
type ListId = {
  [Id in OperationId]: Output<Id> extends { readonly nextCursor: string | null } ? Id : never;
}[OperationId];

/**
 * Loads a list of an operation by pages. `data` are the items of the loaded `pages`; `loadMore` loads the next one if `hasMore`.
 * Live changes reload all loaded pages.
 */
export function useOperationList<Id extends ListId, Item>(
  id: Id,
  input: Input<Id>,
  itemsOf: (page: Output<Id>) => readonly Item[],
  enabled = true,
) {
  const api = useApi();
  const path = api.pathOf(id, input);
  const result = useInfiniteQuery({
    queryKey: [path, input.query ?? {}, 'pages'],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.call(id, { ...input, query: { ...input.query, cursor } }, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }: { readonly nextCursor: string | null }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    meta: { live: true, ...webhookOf(path) },
  });
  const pages = result.data?.pages;
  return {
    pages,
    data: pages?.flatMap(itemsOf),
    error: result.error,
    refetch: result.refetch,
    /** True while the previous query's pages are shown. */
    isStale: result.isPlaceholderData,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

const FIRST_PAGE: string | undefined = undefined;

/** The subscription that the data at a path is about, if any. */
function webhookOf(path: string) {
  const [, webhookId] = /^\/webhooks\/([^/]+)/.exec(path) ?? [];
  return webhookId === undefined ? {} : { webhookId };
}

/** All subscriptions of the company, oldest first. */
export const useWebhooks = () => useOperation('listWebhooks', {});

/** One subscription. */
export const useWebhook = (id: string) => useOperation('getWebhook', { params: { id } });

/** One delivery with its attempts and its body; nothing without an id. */
export const useDelivery = (id: string | undefined) =>
  useOperation('getDelivery', { params: { id: id ?? '' } }, { enabled: id !== undefined });

/** The API keys of the company, newest first. */
export const useApiKeys = () => useOperationList('listApiKeys', { query: { limit: 50 } }, ({ keys }) => keys);

/** Every event that a subscription can name. */
export const useEventCatalogue = () => useOperation('listWebhookEvents', {}, { isLive: false });

/** The statistics of all subscriptions of the company. */
export const useCompanyStatistics = (query: Input<'getStatistics'>['query'] = {}) =>
  useOperation('getStatistics', { query }, { keepsPrevious: true, isSum: true });

/** Whether the service works, whatever the company's endpoints do. */
export const useServiceStatus = () => useOperation('getServiceStatus', {}, { isSum: true });

/** The client of the owners' API, typed by its operations. */
export interface ApiClient {
  call<Id extends OperationId>(id: Id, input: Input<Id>, signal?: AbortSignal): Promise<Output<Id>>;
  pathOf<Id extends OperationId>(id: Id, input: Input<Id>): string;
}

const ApiContext = createContext<ApiClient | null>(null);

/** Provides the client of the owners' API to the pages below it. */
export const ApiProvider = ApiContext.Provider;

/** Returns the client of the owners' API. */
export function useApi(): ApiClient {
  const api = useContext(ApiContext);
  if (api === null) throw new Error('there is an ApiProvider above every page');
  return api;
}

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

/** Counts and durations of attempts. */
export type AttemptCounts = CompanyStatistics['totals'];

/** Counts and durations of the attempts that began within one bucket. */
export type StatisticsBucket = CompanyStatistics['buckets'][number];

/** Selection of a bulk replay. */
export type BulkReplayRequest = Omit<Input<'replayDeliveries'>['body'], 'preview'>;

/** What a test delivery is. */
export type TestBody = NonNullable<Input<'testWebhook'>['body']>;
