import type { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';

/** What a request asks for. Instants are as they are sent. */
export type Write =
  | {
      readonly kind: 'status';
      readonly jobId: string;
      readonly expectedVersion: number;
      readonly status: (typeof REPORTABLE_STATUSES)[number];
      readonly occurredAt: string;
      readonly note: string | undefined;
      readonly blockerCode: (typeof BLOCKER_CODES)[number] | undefined;
    }
  | {
      readonly kind: 'schedule';
      readonly jobId: string;
      readonly expectedVersion: number;
      readonly status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
      readonly startsAt: string | null;
      readonly endsAt: string | null;
      readonly timeZone: string;
    }
  | {
      readonly kind: 'assignments';
      readonly jobId: string;
      readonly expectedVersion: number;
      readonly membershipIds: readonly string[];
    }
  | { readonly kind: 'note'; readonly jobId: string; readonly note: string }
  | {
      readonly kind: 'lead';
      /** Which address it is about, however it is spelled. */
      readonly place: number;
      readonly fullName: string;
      readonly email: string;
      readonly phone: string;
      readonly address: string;
      readonly smsConsent: boolean | undefined;
    }
  | {
      readonly kind: 'appointment';
      readonly leadId: string;
      readonly projectId: string | undefined;
      readonly startsAt: string;
      readonly endsAt: string;
      readonly notes: string | undefined;
    };

/** A write of a job by its installer. */
export type JobWrite = Extract<Write, { readonly expectedVersion: number }>;

/** Whose key a request carries. */
export interface Caller {
  readonly companyId: string;
  readonly kind: 'general' | 'installer-contractor' | 'installer-company';
  /** Of an installer-contractor key. */
  readonly boundCompanyId: string | undefined;
  readonly apiKey: string;
}

/** One write as it is sent, again and again if need be. */
export interface WriteRequest {
  readonly caller: Caller;
  readonly write: Write;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The idempotency key, wherever it stands; undefined: none. */
  readonly key: string | undefined;
  /** The only status that is right when the request itself is at fault; undefined when it is not. */
  readonly faultStatus: 400 | 401 | 403 | undefined;
}

/** What one try of a request came to. Times are milliseconds of one monotonic clock of the test. */
export interface Try {
  readonly sentAt: number;
  readonly endedAt: number;
  /** Undefined: the connection broke. */
  readonly answer: ReceivedResponse | undefined;
}

/** An answer as it came. */
export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A write sent until it was answered for certain, or once when it has no key. */
export interface Sending {
  /** Its place in the history. */
  readonly id: number;
  readonly request: WriteRequest;
  readonly tries: readonly Try[];
}

/** A read and its answer. */
export interface Read {
  readonly id: number;
  readonly caller: Caller;
  readonly path: string;
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
    | { readonly kind: 'technicians' }
    | { readonly kind: 'latest'; readonly limit: number }
    | { readonly kind: 'contractor jobs'; readonly take: number }
    | { readonly kind: 'trespass'; readonly status: number };
  readonly sentAt: number;
  readonly endedAt: number;
  readonly answer: ReceivedResponse;
}

/** One page that a reader of a feed got. */
export interface FeedPage {
  readonly path: string;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly answer: ReceivedResponse;
}

/** All pages of one reader of a company's feed, in order. */
export interface Following {
  readonly caller: Caller;
  readonly begins: 'start' | 'snapshot' | 'latest';
  readonly limit: number;
  readonly pages: readonly FeedPage[];
}

/** An assignment as the platform has told of it. */
export interface PublishedAssignment {
  readonly messageId: string;
  readonly jobId: string;
  readonly installerCompanyId: string;
  /** Of the platform: the newest counts. */
  readonly version: number;
  readonly sentAt: number;
}

/** A message that the platform got. */
export interface PartnerEvent {
  readonly messageId: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** All that happened in a run, from the clients' and the platform's side. */
export interface History {
  readonly sendings: readonly Sending[];
  readonly reads: readonly Read[];
  readonly followings: readonly Following[];
  readonly assignments: readonly PublishedAssignment[];
  readonly heard: readonly PartnerEvent[];
}

/** Whether an answer leaves open what became of the request, so that it has to be sent again. */
export function isUncertain(answer: ReceivedResponse | undefined): boolean {
  return (
    answer === undefined ||
    answer.status >= 500 ||
    answer.status === 429 ||
    answer.text.includes('"idempotency_in_progress"')
  );
}
