import { type Asked, errorCodeOf, isKept, parseJson } from './asked.js';
import { type Caller, isUncertain, type ReceivedResponse, type Sending, type Try } from './history.js';

/** A try that was answered for certain. */
interface Answered extends Try {
  readonly answer: ReceivedResponse;
  readonly sending: Sending;
}

/**
 * Checks what the clients were told about their keys (spec: Idempotency rules; decisions: Installer v1, idempotency): a key
 * keeps one outcome of one request, every repeat gets it byte for byte and says so, but for a 404 while the job is not the
 * caller's, which {@link checkRefusals} and {@link checkNotes} judge; and any other request with the key is
 * refused without an effect. When a process was killed the service may have repeated a request by itself, so that the first
 * answer is said to be a repeat.
 */
export function checkIdempotency(all: readonly Asked[], hasKilled: boolean): string[] {
  return [...all.flatMap((asked) => checkRequest(asked, hasKilled)), ...checkKeys(all)];
}

function checkRequest(asked: Asked, hasKilled: boolean): string[] {
  const { request, kept } = asked;
  const answers = answersOf(asked);
  const faults = answers.flatMap((answered) => checkAnswer(answered));
  if (request.key === undefined) {
    const replayed = answers.filter(({ answer }) => isReplayed(answer));
    return [...faults, ...replayed.map((answered) => `${name(answered)}: a repeat without a key`)];
  }
  const keptAnswers = answers.filter(({ answer }) => isKept(answer));
  const originals = keptAnswers.filter(({ answer }) => !isReplayed(answer));
  const texts = new Set(keptAnswers.map(({ answer }) => textOf(answer)));
  if (texts.size > 1) {
    faults.push(`${nameAll(keptAnswers)}: the repeat is another answer: ${[...texts].join(' <> ')}`);
  }
  const statuses = new Set(keptAnswers.map(({ answer }) => originalStatusOf(answer, asked)));
  if (statuses.size > 1) {
    faults.push(`${nameAll(keptAnswers)}: statuses of one outcome: ${[...statuses].join(', ')}`);
  }
  if (originals.length > 1) faults.push(`${nameAll(originals)}: none of them is said to be a repeat`);
  const wasUncertain = asked.sendings.some(({ tries }) => tries.some(({ answer }) => isUncertain(answer)));
  if (keptAnswers.length > 0 && originals.length === 0 && !wasUncertain && !hasKilled) {
    faults.push(`${nameAll(keptAnswers)}: said to be repeats, but nobody got the original`);
  }
  for (const answered of answers) {
    const isOther = !isKept(answered.answer);
    if (
      isOther &&
      kept !== undefined &&
      answered.sentAt > kept.knownAt &&
      !('jobId' in request.write && errorCodeOf(answered.answer) === 'not_found') &&
      hasBoundaryOf(answered, kept.caller)
    ) {
      faults.push(
        `${name(answered)}: answered ${answered.answer.status} ${answered.answer.text} in place of the kept ${kept.status}`,
      );
    }
  }
  return faults;
}

/** What must be right of every certain answer to a write, whatever the others are. */
function checkAnswer(answered: Answered): string[] {
  const { answer, sending } = answered;
  const { request } = sending;
  const faults: string[] = [];
  const code = errorCodeOf(answer);
  if (answer.status >= 400) {
    const body = parseJson(answer.text);
    const told =
      typeof body === 'object' && body !== null && 'requestId' in body ? body.requestId : undefined;
    if (code === undefined) faults.push(`${name(answered)}: no error body: ${answer.text}`);
    if (told !== answer.headers['x-request-id']) {
      faults.push(`${name(answered)}: the body names another request than x-request-id`);
    }
  }
  if (answer.headers['x-request-id'] === undefined) faults.push(`${name(answered)}: no x-request-id`);
  if (request.faultStatus !== undefined) {
    const isRight =
      answer.status === request.faultStatus ||
      (request.faultStatus === 400 && code === 'idempotency_mismatch');
    if (!isRight) faults.push(`${name(answered)}: ${answer.status} in place of ${request.faultStatus}`);
  }
  if (request.faultStatus === undefined && (answer.status === 400 || answer.status === 401)) {
    faults.push(`${name(answered)}: ${answer.status} for a request without a fault: ${answer.text}`);
  }
  if (answer.status === 500) faults.push(`${name(answered)}: the service has a fault: ${answer.text}`);
  if (request.key !== undefined && isKept(answer) && answer.headers['idempotency-expires'] === undefined) {
    faults.push(`${name(answered)}: no idempotency-expires`);
  }
  return faults;
}

/** Of each key of each company one request at most has an outcome that is kept, and every other one is refused. */
function checkKeys(all: readonly Asked[]): string[] {
  const byKey = new Map<string, Asked[]>();
  for (const asked of all) {
    const { key, caller } = asked.request;
    if (key === undefined) continue;
    const place = `${caller.companyId} ${key}`;
    byKey.set(place, [...(byKey.get(place) ?? []), asked]);
  }
  return [...byKey].flatMap(([place, group]) => {
    const keeping = group.filter(({ kept }) => kept !== undefined);
    const unknown = group.filter(({ isUnknown }) => isUnknown);
    const faults: string[] = [];
    if (keeping.length > 1) {
      const requests = keeping.map(({ sendings: [first] }) => describe(first)).join(' and ');
      faults.push(`key ${place} has the outcomes of ${keeping.length} requests: ${requests}`);
    }
    for (const asked of group) {
      for (const answered of answersOf(asked)) {
        if (errorCodeOf(answered.answer) !== 'idempotency_mismatch') continue;
        const isBoundElsewhere =
          keeping.some(
            (other) =>
              other.firstSentAt < answered.endedAt &&
              (other !== asked || (other.kept !== undefined && !hasBoundaryOf(answered, other.kept.caller))),
          ) || unknown.some((other) => other !== asked && other.firstSentAt < answered.endedAt);
        if (!isBoundElsewhere) faults.push(`${name(answered)}: a mismatch with no other request of the key`);
      }
    }
    return faults;
  });
}

function answersOf({ sendings }: Asked): Answered[] {
  return sendings.flatMap((sending) =>
    sending.tries.flatMap(({ sentAt, endedAt, answer }) =>
      answer === undefined || (isUncertain(answer) && answer.status !== 500)
        ? []
        : [{ sentAt, endedAt, answer, sending }],
    ),
  );
}

/** A key that is bound to another installer sees other jobs: it need not get the repeat. */
function hasBoundaryOf({ sending }: Answered, caller: Caller): boolean {
  return sending.request.caller.boundCompanyId === caller.boundCompanyId;
}

function isReplayed(answer: ReceivedResponse): boolean {
  return answer.headers['idempotency-replayed'] === 'true';
}

/** The bytes that a repeat shares with the original: all, but for the id of the request in an error. */
function textOf({ status, text, headers }: ReceivedResponse): string {
  const requestId = headers['x-request-id'];
  return status < 400 || requestId === undefined ? text : text.replace(JSON.stringify(requestId), '"…"');
}

/** A repeat of an appointment's 201 is a 200 (spec: Inbound); all others repeat their status. */
function originalStatusOf(answer: ReceivedResponse, { request }: Asked): number | string {
  if (request.write.kind !== 'appointment' || answer.status >= 300) return answer.status;
  const expected = isReplayed(answer) ? 200 : 201;
  return answer.status === expected ? 201 : `${answer.status} (repeat: ${isReplayed(answer)})`;
}

function name({ sending, answer }: Answered): string {
  return `${describe(sending)} [${answer.status}]`;
}

function nameAll(answers: readonly Answered[]): string {
  return answers.map(name).join(', ');
}

/** Names a sending in a message. */
export function describe(sending: Sending | undefined): string {
  if (sending === undefined) return 'nothing';
  const { id, request } = sending;
  return `#${id} ${request.method} ${request.path} (key ${request.key ?? 'none'})`;
}
