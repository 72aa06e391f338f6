import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobCreatedJson } from '@partner/local-stack/demo/platform';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { ensurePython } from '@partner/local-stack/toolchains/toolchains';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { createPageWorld, type PageWorld } from './page-world.js';
import { printedCommands } from './printed-commands.js';

/** Python, if it can install packages. */
const python = await ensurePython(['uvicorn==0.54.0']);

/** The onboarding starts the stack, and the last page stops it. */
const FIRST = 'scripts/docs/onboarding.md';
const LAST = 'scripts/docs/local-stack.md';

const PAGES = ['.', '.github', 'charts', 'proto-contracts', 'scripts/docs', 'services/docs'].flatMap(
  (folder) =>
    readdirSync(path.join(PROJECT_ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules') && !file.startsWith('spec/'))
      .map((file) => path.join(folder, file)),
);

/** Commands that are not run here, by how they begin, and why. */
const LEFT_OUT = Object.entries({
  'needs a cluster; charts.test.ts renders the values of each installation': [
    /^(helm (upgrade|history|rollback)|for chart in [^]*helm upgrade)/,
  ],
  'needs a cluster': [/^(kubectl|skaffold) /],
  'signs and publishes a release': [/^helm (package|verify|push)/, /^IMAGE=|^cosign /, /^git tag/],
  'needs a Docker engine; containers.release.sys.test.ts builds the images': [
    /^(docker push|for service in .*\n.*docker build|OTEL_\S+ docker compose)/,
  ],
  'reads and writes images of a registry': [/^docker buildx|^pinned\(\)/],
  'is the build or a run of the tests itself': [/^npm (ci|run)|^scripts\/test|^ROUNDS=|^FUZZ_/],
  'stays in the foreground; up.sys.test.ts runs it': [/^scripts\/up +#/],
  'names the date of a release to come; partnerctl.sys.test.ts sends one': [
    /^scripts\/partnerctl announcements send/,
  ],
  'needs the server of a partner; conformance-checks.test.ts runs it with one': [
    /^partnerctl conformance .*127\.0\.0\.1:3000/,
  ],
  'asks for passwords; least-privilege runs the files': [/^createdb|^psql|^redis-cli|^for user in/],
  'needs a declared restore, which stays; declare-restore.int.test.ts runs the check': [
    /^scripts\/partnerctl restore check/,
  ],
  'needs a key that only an owner creates; browser-account.sys.test.ts runs it': [
    /^node_modules\/\.bin\/partner-client webhooks/,
  ],
  'needs Python, which is missing': python === undefined ? [/^(pip|python) /] : [],
}).flatMap(([reason, beginnings]) => beginnings.map((beginning) => [beginning, reason] as const));

const printed = PAGES.map((page) => [page, printedCommands(readProjectFile(page))] as const).filter(
  ([, commands]) => commands.length > 0,
);
const reasonFor = (command: string) => LEFT_OUT.find(([beginning]) => beginning.test(command))?.[1];
const runnable = printed
  .map(([page, commands]) => [page, commands.filter((command) => reasonFor(command) === undefined)] as const)
  .filter(([page, commands]) => commands.length > 0 && page !== FIRST);

/** Commands of a partner's developer, who has an empty folder. They come late: the sandbox's page has the simulator cause events. */
const isOfClient = (commands: readonly string[]) =>
  commands.some((command) => command.includes('$PARTNER_URL/clients/'));
const rank = (page: string, commands: readonly string[]) =>
  page === LAST ? 2 : Number(isOfClient(commands));

let world: PageWorld;
let receiver: Receiver;
/** What placeholders of pages stand for here. */
let placeholders: readonly (readonly [placeholder: RegExp, () => string])[] = [];
let variables: Record<string, string> = {};

/** Runs commands of a page in one shell. Fails with what the failed one wrote. */
async function runPage(commands: readonly string[]): Promise<string> {
  const filled = commands.map((command) =>
    placeholders.reduce((text, [placeholder, value]) => text.replaceAll(placeholder, () => value()), command),
  );
  // A mark before each command, so that a failure shows the first unfinished one.
  const script = filled
    .map((command) => (/ listen --forward /.test(command) ? untilForwarded(command) : command))
    .map((command, index) => `echo '# command ${index + 1}' >&2\n${command}`)
    .join('\n');
  const run = isOfClient(commands) ? world.runOfClient : world.run;
  const { exitCode, stdout, stderr } = await run(script, variables);
  const at = stderr.lastIndexOf('# command ');
  const failure =
    exitCode === 0
      ? ''
      : `${filled[Number(/\d+/.exec(stderr.slice(at))?.[0]) - 1] ?? ''}\n${stdout.slice(-2_000)}\n${stderr.slice(at)}`;
  expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: '' });
  return stdout;
}

/** Runs a listener until it has forwarded an event, which the simulator causes. */
const untilForwarded = (command: string) => `(
  set -m
  { ${command}
  } > listen.txt &
  trap 'kill -- -$!' EXIT
  until grep -e '-> 204 (' listen.txt; do kill -0 $!; sleep 0.2; done
)`;

beforeAll(async () => {
  [world, receiver] = await Promise.all([createPageWorld(python), startReceiver({})]);
});
afterAll(() => Promise.all([world.remove(), receiver.close()]));

describe('the printed commands', () => {
  test('of the onboarding take a company from nothing to its first verified webhook', async () => {
    const commands = printedCommands(readProjectFile(FIRST)).filter(
      (command) => reasonFor(command) === undefined,
    );
    const shell = commands.filter((command) => !command.includes('…'));
    expect(shell.length).toBeGreaterThanOrEqual(20);
    const stdout = await runPage(shell);
    for (const event of ['install.job_assigned', 'install.status_changed'])
      expect(stdout).toMatch(new RegExp(`"x-svc-event":"${event}".*"verified":true,.*"status":200`));
    expect(stdout).toMatch(/to olive@peak\.example: Set a new password\n {2}http:.*\/console\/set-password/);
    await fillWorld();
    const named = commands.filter((command) => command.startsWith('PATH=') || command.includes('…'));
    await runPage(named.map((command) => command.replaceAll('cmp_01j…', '<company>')));
  });

  test.each([...runnable].sort((one, other) => rank(...one) - rank(...other)))(
    'of %s run as they are printed',
    async (_page, commands) => {
      const stdout = await runPage(commands);
      // Curl succeeds with a response that is an error.
      expect(stdout).not.toMatch(/"code":"/);
    },
  );

  test.each(LEFT_OUT)('that match %s are left out: %s', (beginning) => {
    expect(printed.some(([, commands]) => commands.some((command) => beginning.test(command)))).toBe(true);
  });
});

/** Makes what the placeholders of the pages name. */
async function fillWorld(): Promise<void> {
  world.addRabbitmqPrograms();
  const stack = `node -p 'const s = JSON.parse(require("fs").readFileSync("${world.stackDirectory}/stack.json")); const c = s.companies.find((each) => each.class === `;
  const of = (companyClass: string, value: string) => world.outputOf(`${stack}"${companyClass}"); ${value}'`);
  const base = await partnerctl('status --field stack.baseUrl');
  const [installer, seller] = [await of('INSTALLER', 'c.id'), await of('SALES', 'c.id')];
  const job = await publishJob(seller, installer);
  const leaving = await partnerctl('companies create --name Leaving --class SALES --field company.id');
  const key = await partnerctl(`keys create ${leaving} --kind general --field apiKey`);
  const address = '12 Main Street, Austin, TX 78701';
  const lead = { fullName: 'Ada', email: 'ada@customers.example', phone: '+1 512 555 0100', address };
  await world.outputOf(
    `curl -sS --fail-with-body '${base}/inbound/leads' -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${JSON.stringify(lead)}'`,
  );

  const queue = 'job-state.platform-messages';
  const letters = await publishRefused(queue, installer);
  // With generated passwords, which the page asks for.
  await world.outputOf(
    `node -p 'JSON.stringify({ users: JSON.parse(require("fs").readFileSync("charts/job-state/files/rabbitmq-definitions.json")).permissions.map(({ user }) => ({ name: user, password: "page", tags: "" })) })' | rabbitmqctl import_definitions`,
  );
  const faulty = await partnerctl(`keys create ${installer} --kind installer-company --field key.id`);
  const general = await of('SALES', 'c.keys.find((each) => each.kind === "general").apiKey');
  const ofInstaller = await of('INSTALLER', 'c.keys[0].apiKey');
  const delivery = await partnerctl(`deliveries list ${installer} --limit 1 --field deliveries.0.id`);
  const event = await partnerctl(`events list ${installer} --limit 1 --field events.0.id`);
  const hook = await partnerctl(`subscriptions list ${installer} --field subscriptions.0.id`);
  const owner = await partnerctl(`owners list ${seller} --field owners.0.membershipId`);
  const login = await of('INSTALLER', 'JSON.stringify(c.owner)');
  placeholders = [
    [/cmp_01j…/g, () => leaving],
    [/<company>/g, () => installer],
    [/<subscription>/g, () => hook],
    [/<owner>/g, () => owner],
    [/<queue>/g, () => queue],
    [/<message>/g, () => letters.shift() ?? 'none'],
    [/evt_…/g, () => event],
    [/dlv_…/g, () => delivery],
    [/key_\.\.\./g, () => faulty],
    [/\{"email":"\.\.\.","password":"\.\.\."\}/g, () => login],
    [/https:\/\/sandbox\.partner\.example/g, () => base],
    [/key_…\.…/g, () => ofInstaller],
    [/http:\/\/localhost:\d+(?=\/(hook|webhooks)\b)/g, () => `http://localhost:${receiver.port}`],
    // The code of the preview.
    [
      /5f0c21ab/g,
      () => '$(scripts/partnerctl customers erase --email ada@customers.example --field confirm)',
    ],
  ];
  variables = {
    PARTNER_URL: base,
    PARTNER_API_KEY: ofInstaller,
    BASE: base,
    GENERAL_KEY: general,
    INSTALLER_KEY: ofInstaller,
    JOB: job,
  };
  await world.outputOf(
    `curl -sS --fail --retry 20 --retry-delay 1 --retry-all-errors '${base}/partner/v1/jobs/${job}' -H 'x-api-key: ${ofInstaller}'`,
  );
}

const partnerctl = (args: string) => world.outputOf(`scripts/partnerctl ${args}`);

const publish = (type: string, json: unknown, more = '') =>
  world.outputOf(`scripts/partnerctl platform publish ${type} ${more} <<'END'\n${JSON.stringify(json)}\nEND`);

async function publishJob(sellingCompanyId: string, installerCompanyId: string): Promise<string> {
  const jobId = await partnerctl('platform new-id job');
  await publish('JobCreated', jobCreatedJson({ jobId, sellingCompanyId }));
  await publish('JobAssigned', { jobId, version: 2, installerCompanyId });
  return jobId;
}

/** Publishes messages that become dead letters, since an installer company cannot sell, and returns their ids. */
async function publishRefused(queue: string, installer: string): Promise<string[]> {
  const projectId = await partnerctl('platform new-id prj');
  const letters = Array.from({ length: 7 }, (_, index) => `page-${index}`);
  const project = { projectId, version: 1, sellingCompanyId: installer };
  for (const id of letters) await publish('ProjectCreated', project, `--message-id ${id}`);
  await world.outputOf(
    `until [ "$(scripts/partnerctl dead-letters list ${queue} --field deadLetters | grep -o page- | wc -l)" = ${letters.length} ]; do sleep 0.2; done`,
  );
  return letters;
}
