import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import type { ScenarioCompany, ScenarioDeps } from './company.js';

export const PLATFORM = 'messages of the platform';
export const STARTS = '2026-12-01T15:00:00.000Z';
export const ENDS = '2026-12-01T17:00:00.000Z';

/** Three companies that work together, with what every part of the scenario needs. */
export interface Stage {
  readonly deps: ScenarioDeps;
  readonly side: string;
  readonly seller: ScenarioCompany;
  readonly installer: ScenarioCompany;
  readonly accountant: ScenarioCompany;
  /** Places where a text may be found. */
  readonly at: {
    readonly seller: string;
    readonly installer: string;
    readonly sellerReceives: readonly string[];
    readonly installerReceives: readonly string[];
    readonly accountantReceives: readonly string[];
  };
  publish<Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Promise<string>;
  word(what: string, ...places: readonly string[]): string;
  /** An amount as the platform sends it. */
  money(
    what: string,
    ...places: readonly string[]
  ): { readonly amountMinor: string; readonly currency: string };
}

export function createStage(
  deps: ScenarioDeps,
  side: string,
  companies: Pick<Stage, 'seller' | 'installer' | 'accountant'>,
): Stage {
  const { seller, installer, accountant } = companies;
  const receives = ({ who }: ScenarioCompany) => [`webhooks of ${who}`, `console of ${who}`];
  return {
    deps,
    side,
    ...companies,
    at: {
      seller: `api of ${seller.who}`,
      installer: `api of ${installer.who}`,
      sellerReceives: receives(seller),
      installerReceives: receives(installer),
      accountantReceives: receives(accountant),
    },
    publish: (schema, message) => deps.stack.publishFromPlatform(schema, message),
    word: (what, ...places) => deps.canaries.word(`${what} of side ${side}`, ...places),
    money: (what, ...places) => ({
      amountMinor: String(deps.canaries.amount(`${what} of side ${side}`, ...places)),
      currency: 'USD',
    }),
  };
}

export function asSeller(
  stage: Stage,
  key: string,
  method: string,
  path: string,
  body: unknown,
): Promise<HttpResponse> {
  return stage.deps.recorder.call(stage.at.seller, path, { method, headers: { 'x-api-key': key }, body });
}

/** Sends a request of the installer company, a write with a new idempotency key. */
export function asInstaller(
  stage: Stage,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<HttpResponse> {
  return stage.deps.recorder.call(stage.at.installer, `/partner/v1${path}`, {
    method,
    headers: { 'x-api-key': key, ...(method === 'GET' ? {} : { 'idempotency-key': newId('evt') }) },
    ...(body === undefined ? {} : { body }),
  });
}

/** The job as its installer company reads it, once it has reached a version. */
export function jobAt(stage: Stage, key: string, id: string, version: number): Promise<InstallerJob> {
  return eventually(`version ${version} of the job`, async () => {
    const response = await asInstaller(stage, key, 'GET', `/jobs/${id}`);
    if (response.status !== 200) return undefined;
    const { resource } = jobResponse.parse(response.json);
    return resource.version >= version && resource;
  });
}

let instants = 0;

/** An instant of the platform's clock, another one each time. */
export function anInstant(): Timestamp {
  return timestampFromDate(new Date(Date.now() - 60_000 - (instants += 1)));
}

export function stamp(text: string): Timestamp {
  return timestampFromDate(new Date(text));
}
