import { createOpenApiDocument } from '@partner/proto-contracts/public-api/openapi';
import { createResponseCheck } from '@partner/test-kit/response-check';
import type { History, ReceivedResponse } from './history.js';

const check = createResponseCheck(
  createOpenApiDocument({ serverUrl: 'https://api.partner.example', sessionCookie: '__Host-svc_session' }),
);

/** Checks every answer against the API description: status, headers, each field of the body, the code of an error. */
export function checkResponses({
  sendings,
  reads,
  followings,
}: Pick<History, 'sendings' | 'reads' | 'followings'>): string[] {
  return [
    ...sendings.flatMap(({ id, request: { method, path }, tries }) =>
      tries.flatMap(({ answer }) => (answer === undefined ? [] : faultsIn(`#${id}`, method, path, answer))),
    ),
    ...reads.flatMap(({ id, path, answer }) => faultsIn(`#${id}`, 'GET', path, answer)),
    ...followings.flatMap(({ pages }) =>
      pages.flatMap(({ path, answer }) => faultsIn('a reader', 'GET', path, answer)),
    ),
  ];
}

function faultsIn(who: string, method: string, path: string, answer: ReceivedResponse): string[] {
  const { status, text, headers } = answer;
  const faults = check({ method, path, status, text, header: (name) => headers[name] });
  return faults.map((fault) => `${who} ${method} ${path}: ${status}: ${fault}: ${text.slice(0, 1_000)}`);
}
