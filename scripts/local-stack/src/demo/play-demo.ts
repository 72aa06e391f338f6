import { randomUUID } from 'node:crypto';
import type { SandboxCompany, StackDescription } from '../stack/stack-description.js';
import { createWatcher, type Demo } from './demo.js';
import { createDemoCaller } from './demo-caller.js';
import { StackError } from '../stack-error.js';
import { createNarrator } from './narrator.js';
import { playJob, playLeads } from './play-job.js';
import { playFailingServer, playSubscription, signIn } from './play-subscription.js';

/**
 * Runs the main job on a running stack and prints each step, with `isVerbose` also its requests, responses and what they prove.
 * Throws {@link StackError} if a step fails.
 */
export async function playDemo(
  options: Pick<Demo, 'description' | 'retryBaseMs' | 'signal'> & {
    readonly write: (text: string) => void;
    readonly isVerbose: boolean;
  },
): Promise<void> {
  const { description, retryBaseMs, write, signal } = options;
  const { baseUrl } = description;
  const show = createNarrator(write, options);
  const watcher = createWatcher(description.receiver.logFile, signal);
  const demo: Demo = { description, retryBaseMs, signal, run: randomUUID().slice(0, 8), show, watcher };
  const callerWith = (apiKey: string) => createDemoCaller({ baseUrl, show, signal }, { 'x-api-key': apiKey });
  const sales = companyWithKey(description, 'general');
  const installer = companyWithKey(description, 'installer-company');

  try {
    const owner = await signIn(demo, installer.company);
    const hook = await playSubscription(demo, owner);
    const lead = await playLeads(demo, sales.company, callerWith(sales.apiKey));
    await playJob(
      demo,
      { sales: sales.company, installer: installer.company, lead, hook },
      callerWith(installer.apiKey),
    );
    await playFailingServer(demo, owner);
    show.end('holds');
  } catch (error) {
    show.end('failed');
    throw error;
  }
  write('\nThe main job holds from end to end.\n');
}

function companyWithKey(
  description: StackDescription,
  kind: SandboxCompany['keys'][number]['kind'],
): { readonly company: SandboxCompany; readonly apiKey: string } {
  for (const company of description.companies) {
    const key = company.keys.find((candidate) => candidate.kind === kind);
    if (key !== undefined) return { company, apiKey: key.apiKey };
  }
  throw new StackError(`the sandbox has no company with a key of kind ${kind}`);
}
