import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { type Browser, chromium } from 'playwright-core';
import { z } from 'zod';
import { findChromium } from '@partner/local-stack/backing-services/find-chromium';
import { DEFAULT_DIRECTORY, stackFiles } from '@partner/local-stack/stack/stack-state';
import { stackDescription } from '@partner/local-stack/stack/stack-description';

/** Fetched when it is first used, with the Node that it needs. */
const LIGHTHOUSE = ['--yes', '--package=node@24.11.0', '--package=lighthouse@13.5.0', '--', 'lighthouse'];
const ROUNDS = 5;
const LIVE_MS = 30_000;
const LIVE_MOVES_PER_MINUTE = 300;
const LIVE_BUDGET_MS = 600;
/** What Lighthouse makes slower by default: the middle of the benchmark indexes of the desktops that it expects, and how much. */
const EXPECTED = { index: 1_750, slowdown: 4 };

/** The least score of Lighthouse for the performance of a kind of page; the other two must be 100 everywhere. */
const PAGES = {
  '/console/sign-in': { performance: 100, signedIn: false },
  '/console/forgot-password': { performance: 100, signedIn: false },
  '/docs': { performance: 98, signedIn: false },
  '/docs/installer': { performance: 98, signedIn: false },
  '/console': { performance: 95, signedIn: true },
  '/console/deliveries': { performance: 95, signedIn: true },
  '/console/webhooks': { performance: 95, signedIn: true },
} as const;

const score = z.object({ score: z.number().transform((share) => Math.round(share * 100)) });
const lighthouseReport = z.object({
  environment: z.object({ benchmarkIndex: z.number() }),
  categories: z.object({ performance: score, accessibility: score, 'best-practices': score }),
});
type Report = z.infer<typeof lighthouseReport>;

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** How Lighthouse visits pages. */
interface Visitor {
  readonly executable: string;
  /** How many times faster this machine is than the phone. */
  readonly slowdown: number;
  readonly cookie?: string;
}

/** Visits a page with Lighthouse as a phone. */
async function visit(url: string, { executable, slowdown, cookie }: Visitor): Promise<Report> {
  for (let failures = 0; ; failures += 1) {
    const run = promisify(execFile)(
      'npx',
      [
        ...[...LIGHTHOUSE, url, '--quiet', '--output=json'],
        '--only-categories=performance,accessibility,best-practices',
        `--throttling.cpuSlowdownMultiplier=${slowdown}`,
        '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
        ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
      ],
      {
        // npm compares the packages with the Node that runs it, not with the one that it fetches.
        env: { ...process.env, CHROME_PATH: executable, npm_config_engine_strict: 'false' },
        maxBuffer: 64 * 1_024 * 1_024,
      },
    );
    try {
      return lighthouseReport.parse(JSON.parse((await run).stdout));
    } catch (error) {
      // Lighthouse sometimes misses the beginning of a visit.
      if (!String(error).includes('NO_NAVSTART') || failures === ROUNDS) {
        // Without the report, which the error holds.
        process.stderr.write(`Lighthouse could not measure ${url}: ${String(error).slice(0, 1_000)}\n`);
        process.exit(1);
      }
    }
  }
}

/** Returns the median scores of five visits, in percent, and the speed of the machine by Lighthouse's own measure. */
async function scoresOf(url: string, visitor: Visitor) {
  const rounds: Report[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await visit(url, visitor));
  const of = (category: keyof Report['categories']) =>
    median(rounds.map(({ categories }) => categories[category].score));
  const speed = median(rounds.map(({ environment }) => environment.benchmarkIndex));
  return {
    performance: of('performance'),
    accessibility: of('accessibility'),
    practices: of('best-practices'),
    speed,
  };
}

/** Signs an owner in. Returns the page and the cookies of the session, as a header has them. */
async function signIn(browser: Browser, baseUrl: string, owner: { email: string; password: string }) {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto('/console');
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const cookies = await context.cookies();
  return { page, cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
}

/** Returns the slowdown that makes a machine of this benchmark index the phone of Lighthouse; its default at most. */
const slowdownAt = (index: number) =>
  Math.min(
    EXPECTED.slowdown,
    Math.max(1, Math.round(((EXPECTED.slowdown * index) / EXPECTED.index) * 10) / 10),
  );

const metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

/** Lets the sandbox of the stack move jobs; 0 ends it. */
const simulate = (movesPerMinute: number) =>
  promisify(execFile)('scripts/up', ['--simulate', String(movesPerMinute)]);

/** Returns how many milliseconds of a processor the main thread of the list of deliveries used in 30 s. */
async function busyWhileLive({ page }: Awaited<ReturnType<typeof signIn>>): Promise<number> {
  await page.goto('/console/deliveries');
  await page.getByRole('row').nth(1).waitFor();
  const session = await page.context().newCDPSession(page);
  // Processor time of the thread. The default also counts while another program runs instead.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => {
    const found = metrics.parse(await session.send('Performance.getMetrics'));
    return found.metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await busySeconds();
  await page.waitForTimeout(LIVE_MS);
  return Math.round(((await busySeconds()) - before) * 1_000);
}

new Command('page-speed')
  .description(
    'Measures the pages of the running stack (scripts/up --detach) on an otherwise idle machine: the processor time of the live list of deliveries beside a simulator, and then, without it, Lighthouse for a phone, the median of five. Exits with 1 if a budget is exceeded.',
  )
  .allowExcessArguments(false)
  .parse();
const executable = process.env['CHROMIUM_PATH'] ?? findChromium();
if (executable === undefined) throw new Error('Chromium is not installed: install the package chromium');
const { baseUrl, companies } = stackDescription.parse(
  JSON.parse(readFileSync(stackFiles(DEFAULT_DIRECTORY).description, 'utf8')),
);
const [company] = companies;
if (company === undefined) throw new Error('the stack has no sandbox company');
const browser = await chromium.launch({
  executablePath: executable,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
const failures: string[] = [];
const session = await signIn(browser, baseUrl, company.owner);
await simulate(LIVE_MOVES_PER_MINUTE);
const busy = await busyWhileLive(session);
process.stdout.write(
  `/console/deliveries live for 30 s: ${busy} ms of a processor, budget ${LIVE_BUDGET_MS}\n`,
);
if (!(busy <= LIVE_BUDGET_MS)) failures.push('processor time');
await session.page.goto('about:blank');
await simulate(0);
let phone: number | undefined;
for (const [path, { performance, signedIn }] of Object.entries(PAGES)) {
  const slowdown = phone ?? EXPECTED.slowdown;
  const visitor = { executable, slowdown, ...(signedIn && { cookie: session.cookie }) };
  const scores = await scoresOf(`${baseUrl}${path}`, visitor);
  process.stdout.write(
    `${path}: performance ${scores.performance} (minimum ${performance}), accessibility ${scores.accessibility}, best practices ${scores.practices}; benchmark index ${scores.speed}, slowed down ${slowdown} times\n`,
  );
  // The first page is fast on any machine. The others are visited as the same phone whatever machine this is, as Lighthouse advises.
  phone ??= slowdownAt(scores.speed);
  if (scores.performance < performance || scores.accessibility < 100 || scores.practices < 100)
    failures.push(path);
}
await browser.close();
if (failures.length > 0) process.stdout.write(`over budget: ${failures.join(', ')}\n`);
process.exit(failures.length === 0 ? 0 : 1);
