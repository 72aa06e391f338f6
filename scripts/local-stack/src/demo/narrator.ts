import { installerJob } from '@partner/proto-contracts/resources/job/job';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { DemoError } from './demo-error.js';
import type { DemoCall } from './http-call.js';

/** Prints the steps of the demo. */
export interface Narrator {
  step(title: string): void;
  request(call: DemoCall): void;
  answer(answer: HttpResponse): void;
  /** Something with a name, e.g. a message or a webhook. */
  show(name: string, content: unknown): void;
  /** What the step proves. Throws {@link DemoError} if the claim is false. */
  prove(holds: boolean, claim: string): void;
}

const SHOWN_HEADERS = ['idempotency-replayed', 'x-svc-api-version', 'retry-after'];
const ONE_LINE = 100;

/** Prints JSON; an installer job in full only the first time, since most of it stays the same. */
function createRenderer(): (content: unknown) => string {
  let hasShownJob = false;
  return (content) => {
    let showsJob = false;
    const brief = (_key: string, value: unknown): unknown => {
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

/** Creates the narrator. Prints keys and cookies in full: all of them belong to the sandbox. */
export function createNarrator(write: (text: string) => void): Narrator {
  let steps = 0;
  let title = '';
  const render = createRenderer();
  const line = (text: string, indent = 3) => {
    const margin = ' '.repeat(indent);
    write(`${margin}${text.replaceAll('\n', `\n${margin}`)}\n`);
  };
  return {
    step(next) {
      steps += 1;
      title = next;
      write(`\n${steps}. ${title}\n`);
    },
    request({ method, path, headers, body }) {
      line(`${method} ${path}`);
      for (const [name, value] of Object.entries(headers ?? {})) line(`${name}: ${value}`, 5);
      if (body !== undefined) line(render(body), 5);
    },
    answer({ status, headers, json, text }) {
      line(`-> ${status}`);
      for (const name of SHOWN_HEADERS) {
        const value = headers.get(name);
        if (value !== null) line(`${name}: ${value}`, 5);
      }
      if (text !== '') line(json === undefined ? text : render(json), 5);
    },
    show(name, content) {
      line(`${name}: ${typeof content === 'string' ? content : render(content)}`);
    },
    prove(holds, claim) {
      if (!holds) throw new DemoError(`step ${steps} (${title}) does not hold: ${claim}`);
      line(`✓ ${claim}`);
    },
  };
}
