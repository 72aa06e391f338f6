import type { HttpResponse } from '@partner/test-kit/http-call';
import type { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { SubmittableScheduleStatus } from '@partner/proto-contracts/resources/job/schedule-status-moves';

/** The owner of an API key. */
export interface Caller {
  readonly companyId: string;
  readonly kind: KeyKindName;
  /** Of an installer-contractor key. */
  readonly boundCompanyId: string | undefined;
  readonly apiKey: string;
}

/** What a partner asks for. Instants are as they are sent. */
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
      readonly status: SubmittableScheduleStatus;
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
  | { readonly kind: 'note'; readonly jobId: string; readonly note: string };

/** A write of a job by its installer. */
export type JobWrite = Extract<Write, { readonly expectedVersion: number }>;

/** A write as it is sent. */
export interface WriteRequest {
  readonly kind: 'write';
  readonly caller: Caller;
  readonly write: Write;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** `input`: the body is invalid. `clock`: `occurredAt` is out of range, which is checked for an unused key alone. */
  readonly invalid: 'input' | 'clock' | undefined;
}

/** A read. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly caller: Caller;
  readonly path: string;
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
    | { readonly kind: 'technicians' }
    | { readonly kind: 'newest'; readonly limit: number }
    | { readonly kind: 'snapshot' }
    /** Entries after this sequence. */
    | { readonly kind: 'after'; readonly sequence: number }
    | { readonly kind: 'contractor jobs'; readonly take: number };
}

/** The platform gives a job to an installer company. */
export interface Assignment {
  readonly kind: 'assignment';
  readonly jobId: string;
  readonly installerId: string;
  /** The newest counts. */
  readonly version: number;
}

/** A finished request with its final response, or a message of the platform that the service has settled. */
export type Outcome =
  | {
      readonly request: WriteRequest | ReadRequest;
      readonly answer: HttpResponse;
      /** The service may have seen the request more than once before it responded. */
      readonly wasRepeated: boolean;
    }
  | { readonly request: Assignment };

/** Returns a write with its method, path and body. */
export function writeRequest(
  caller: Caller,
  write: Write,
  key: string | undefined,
  invalid?: WriteRequest['invalid'],
): WriteRequest {
  return { kind: 'write', caller, write, key, invalid, ...httpForm(write) };
}

function httpForm(write: Write): Pick<WriteRequest, 'method' | 'path' | 'body'> {
  switch (write.kind) {
    case 'status': {
      const { kind: _, jobId, ...body } = write;
      return { method: 'POST', path: `/partner/v1/jobs/${jobId}/status-events`, body };
    }
    case 'schedule':
    case 'assignments': {
      const { kind, jobId, ...body } = write;
      return { method: 'PUT', path: `/partner/v1/jobs/${jobId}/${kind}`, body };
    }
    case 'note':
      return { method: 'POST', path: `/inbound/jobs/${write.jobId}/status`, body: { note: write.note } };
  }
}
