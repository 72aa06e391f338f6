import { errorCodeOf } from './asked.js';
import { type History, isUncertain } from './history.js';

/** What a test of the model must have met, so that it has not passed for want of trouble. */
export const OUTCOMES_TO_MEET = [
  'status 201',
  'status 201 again',
  'status 400 invalid_argument',
  'status 401 unauthenticated',
  'status 404 not_found',
  'status 409 stale_version',
  'status 409 stale_version again',
  'status 422 transition_not_allowed',
  'schedule 200',
  'schedule 200 again',
  'schedule 409 stale_version',
  'schedule 422 schedule_invalid',
  'assignments 200',
  'assignments 422 technician_not_assignable',
  'note 200',
  'note 200 again',
  'note 403 permission_denied',
  'note 404 not_found',
  'lead 200',
  'lead 201',
  'lead 201 again',
  'lead 409 idempotency_mismatch',
  'appointment 200 again',
  'appointment 201',
  'appointment 403 permission_denied',
  'appointment 409 idempotency_mismatch',
  'uncertain',
  'killed',
  'a page with nothing new',
  'a page of a snapshot',
  'a job that has left a company',
] as const;

/** What a run has met. */
export function outcomesIn(
  history: Pick<History, 'sendings' | 'followings' | 'assignments'>,
  killed: readonly string[],
): ReadonlySet<string> {
  const met = new Set<string>(killed.length > 0 ? ['killed'] : []);
  for (const { request, tries } of history.sendings) {
    for (const { answer } of tries) {
      if (answer === undefined || isUncertain(answer)) {
        met.add('uncertain');
        continue;
      }
      const isRepeat = answer.headers['idempotency-replayed'] === 'true';
      const words = [request.write.kind, answer.status, errorCodeOf(answer), isRepeat ? 'again' : undefined];
      met.add(words.filter((word) => word !== undefined).join(' '));
    }
  }
  for (const { path, answer } of history.followings.flatMap(({ pages }) => pages)) {
    if (answer.status === 304) met.add('a page with nothing new');
    if (path.includes('view=snapshot')) met.add('a page of a snapshot');
  }
  const installers = new Map<string, string>();
  for (const { jobId, installerCompanyId } of history.assignments) {
    const before = installers.get(jobId) ?? installerCompanyId;
    if (before !== installerCompanyId) met.add('a job that has left a company');
    installers.set(jobId, installerCompanyId);
  }
  return met;
}
