import { installerJob } from '@partner/proto-contracts/resources/job/job';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { paint } from '../paint.js';
import { StackError } from '../stack-error.js';

/** A request as a partner or an owner's browser sends it. */
export interface DemoCall extends Pick<Call, 'headers' | 'body'> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** Prints the steps of the demo: one line each, or with `isVerbose` also what was sent and received. */
export type Narrator = ReturnType<typeof createNarrator>;

const SHOWN_HEADERS = ['idempotency-replayed', 'x-svc-api-version', 'retry-after'];
const ONE_LINE = 100;
const SECRET_HEADERS = ['x-api-key', 'cookie'];
const SECRET_FIELDS = ['password', 'secret'];
const MASK = '…';

/** Prints JSON; an installer job in full only the first time, since most of it stays the same. */
function createRenderer(): (content: unknown) => string {
  let hasShownJob = false;
  return (content) => {
    let showsJob = false;
    const brief = (key: string, value: unknown): unknown => {
      if (SECRET_FIELDS.includes(key) && typeof value === 'string') return MASK;
      const job = installerJob.safeParse(value).data;
      if (job === undefined) return value;
      showsJob = true;
      return hasShownJob ? { id: job.id, version: job.version, status: job.status, '…': 'and so on' } : value;
    };
    const text = JSON.stringify(content, brief, 2);
    hasShownJob ||= showsJob;
    const line = JSON.stringify(JSON.parse(text));
    return line.length <= ONE_LINE ? line : text;
  };
}

/** Creates the narrator. It masks keys, cookies, passwords and secrets. */
export function createNarrator(
  write: (text: string) => void,
  { isVerbose }: { readonly isVerbose: boolean },
) {
  let steps = 0;
  let title = '';
  const render = createRenderer();
  const line = (text: string, indent = 3) => {
    const margin = ' '.repeat(indent);
    if (isVerbose) write(`${margin}${text.replaceAll('\n', `\n${margin}`)}\n`);
  };
  const end = (outcome: 'holds' | 'failed') => {
    if (!isVerbose && steps > 0) write(outcome === 'holds' ? paint('green', ' ✓\n') : paint('red', ' ✗\n'));
  };
  return {
    step(next: string) {
      end('holds');
      steps += 1;
      title = next;
      write(
        isVerbose ? `\n${paint('bold', `${steps}. ${title}`)}\n` : `${String(steps).padStart(2)}. ${title}`,
      );
    },
    request({ method, path, headers, body }: DemoCall) {
      line(`${method} ${path}`);
      for (const [name, value] of Object.entries(headers ?? {})) {
        line(`${name}: ${SECRET_HEADERS.includes(name.toLowerCase()) ? MASK : value}`, 5);
      }
      if (body !== undefined) line(render(body), 5);
    },
    response({ status, headers, json, text }: HttpResponse) {
      line(`-> ${status}`);
      for (const name of SHOWN_HEADERS) {
        const value = headers.get(name);
        if (value !== null) line(`${name}: ${value}`, 5);
      }
      if (text !== '') line(json === undefined ? text : render(json), 5);
    },
    /** Something with a name, e.g. a message or a webhook. */
    show(name: string, content: unknown) {
      line(`${name}: ${typeof content === 'string' ? content : render(content)}`);
    },
    /** What the step proves. Throws {@link StackError} if the claim is false. */
    prove(holds: boolean, claim: string) {
      if (!holds) throw new StackError(`step ${steps} (${title}) does not hold: ${claim}`);
      line(`${paint('green', '✓')} ${claim}`);
    },
    /** Ends the line of the last step; `failed`: it does not hold. */
    end,
  };
}
