import { errorBody } from '@partner/proto-contracts/public-api/error-body';
import { canonicalText } from './canonical-text.js';
import {
  type Caller,
  isUncertain,
  type ReceivedResponse,
  type Sending,
  type WriteRequest,
} from './history.js';

/** An outcome that a key keeps: 2xx, `stale_version` or a 422 (decisions: Installer v1, idempotency). */
export interface KeptOutcome {
  readonly status: number;
  readonly text: string;
  /** The `code` of a refusal; undefined for a success. */
  readonly code: string | undefined;
  /** When it was first told to a client. */
  readonly knownAt: number;
  /** Whose key got it first. */
  readonly caller: Caller;
}

/** Everything that was sent of one request: the same key of the same company, operation and body. */
export interface Asked {
  readonly request: WriteRequest;
  readonly sendings: readonly Sending[];
  readonly firstSentAt: number;
  /** Undefined when no answer told of one. */
  readonly kept: KeptOutcome | undefined;
  /**
   * Whether it may have had an effect that no answer told of. Only a request without a key can stay like that, and one about a
   * job that the caller does not see any more.
   */
  readonly isUnknown: boolean;
}

/** Groups what was sent by request. Each sending without a key is a request of its own. */
export function groupByRequest(sendings: readonly Sending[]): readonly Asked[] {
  const groups = new Map<string, Sending[]>();
  for (const sending of sendings) {
    const binding = bindingOf(sending);
    const group = groups.get(binding);
    if (group === undefined) groups.set(binding, [sending]);
    else group.push(sending);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [asked(first.request, group)];
  });
}

function asked(request: WriteRequest, sendings: readonly Sending[]): Asked {
  const tries = sendings.flatMap((sending) =>
    sending.tries.map((one) => ({ ...one, caller: sending.request.caller })),
  );
  const kept = tries
    .filter(({ answer }) => answer !== undefined && isKept(answer))
    .sort((a, b) => a.endedAt - b.endedAt)[0];
  return {
    request,
    sendings,
    firstSentAt: Math.min(...tries.map(({ sentAt }) => sentAt)),
    kept:
      kept?.answer === undefined
        ? undefined
        : {
            status: kept.answer.status,
            text: kept.answer.text,
            code: errorCodeOf(kept.answer),
            knownAt: kept.endedAt,
            caller: kept.caller,
          },
    isUnknown:
      kept === undefined &&
      tries.some(({ answer }) => isUncertain(answer)) &&
      (request.key === undefined || ('jobId' in request.write && tries.some(isNotFound))),
  };
}

function isNotFound({ answer }: { readonly answer: ReceivedResponse | undefined }): boolean {
  return answer !== undefined && errorCodeOf(answer) === 'not_found';
}

/** What a key is bound to: the company, the key, method and path, and the body as a JSON value. */
export function bindingOf({ id, request: { caller, key, method, path, body } }: Sending): string {
  if (key === undefined) return `sending ${id}`;
  return [caller.companyId, key, method, path, canonicalText(body)].join(' ');
}

/** Whether an answer is an outcome that its key keeps. */
export function isKept(answer: ReceivedResponse): boolean {
  return answer.status < 300 || answer.status === 422 || errorCodeOf(answer) === 'stale_version';
}

/** The `code` of an error answer; undefined for another one. */
export function errorCodeOf(answer: ReceivedResponse): string | undefined {
  if (answer.status < 400) return undefined;
  return errorBody.safeParse(parseJson(answer.text)).data?.code;
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
