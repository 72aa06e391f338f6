const CONTRACTS = 'proto-contracts';
const CLIENTS = `${CONTRACTS}/clients`;
const KERNEL = 'services/kernel';
const GATEWAY_KIT = 'services/gateway-kit';
const TEST_KIT = 'services/test-kit';
const JOB_STATE = 'services/job-state';
const LOCAL_STACK = 'scripts/local-stack';
const DEPLOYMENT = 'scripts/deployment';
const CONSOLE = 'services/console';
const DISPATCHER = 'services/webhook-dispatcher';
const PARTNERCTL = 'scripts/partnerctl-cli';

const COMMON = [CONTRACTS, KERNEL, TEST_KIT];

/** The packages that each package may import. */
const PACKAGES = {
  [CONTRACTS]: [],
  [TEST_KIT]: [CONTRACTS],
  [KERNEL]: [CONTRACTS, TEST_KIT],
  [GATEWAY_KIT]: COMMON,
  'services/inbound-gateway': [...COMMON, GATEWAY_KIT],
  'services/installer-gateway': [...COMMON, GATEWAY_KIT],
  // Its tests run with job-state in their process; its server and its pages share texts.
  [CONSOLE]: [...COMMON, GATEWAY_KIT, JOB_STATE, 'services/console'],
  [JOB_STATE]: COMMON,
  [DISPATCHER]: COMMON,
  // The code that the console prints for receivers, and the dispatcher's signature, are tested against each other.
  'services/system-tests': [...COMMON, GATEWAY_KIT, LOCAL_STACK, DEPLOYMENT, CONSOLE, DISPATCHER],
  [LOCAL_STACK]: [...COMMON, GATEWAY_KIT],
  [PARTNERCTL]: [...COMMON, LOCAL_STACK],
  [DEPLOYMENT]: [...COMMON, LOCAL_STACK],
  'scripts/benchmarks': [...COMMON, LOCAL_STACK],
  // Recorded calls are replayed to its dispatch.
  'scripts/checks': [...COMMON, LOCAL_STACK],
  // The signatures of the service and of the client are tested against each other.
  [`${CLIENTS}/typescript`]: [KERNEL, TEST_KIT],
  // Its tests use the client of each language.
  [`${CLIENTS}/generation`]: [...COMMON, LOCAL_STACK, PARTNERCTL, `${CLIENTS}/typescript`],
};

/** A gateway and a worker that do the least, to compare with. */
const BASELINE = 'scripts/benchmarks/src/baseline-';

/** Where each driver may be imported. Tests may import it anywhere, except the drivers of the database. */
const DRIVERS = {
  knex: ['services/job-state/'],
  pg: ['services/job-state/', `${TEST_KIT}/`, 'scripts/', 'services/system-tests/'],
  amqplib: [
    `${KERNEL}/src/amqp/`,
    `${KERNEL}/src/testing/`,
    `${TEST_KIT}/`,
    'services/system-tests/',
    BASELINE,
  ],
  ioredis: [`${GATEWAY_KIT}/`, `${TEST_KIT}/`, 'services/console/src/sessions/', 'services/system-tests/'],
  nodemailer: [`${KERNEL}/src/mail/mail.ts`],
  'smtp-server': [`${TEST_KIT}/`],
  express: [`${GATEWAY_KIT}/`, 'services/[^/]+/src/app', BASELINE],
};
const DATABASE_DRIVERS = ['knex', 'pg'];

/** The folders of job-state's webhooks. Each imports only those before it. */
const WEBHOOKS = ['deliveries', 'schedule', 'events', 'subscriptions', 'statistics', 'attempts', 'replay'];
const webhooks = 'services/job-state/src/webhooks';

/** The clients are separate packages inside the folder of the contracts. */
const NOT_CLIENTS = '(?!clients/)';
const placeOf = (name) => `^${name}/${name === CONTRACTS ? NOT_CLIENTS : ''}`;
const OURS = `^(${CONTRACTS}(?=/${NOT_CLIENTS})|${CLIENTS}/[^/]+|services/[^/]+|scripts/(?!node_modules)[^/]+)/`;
const TESTS = '[.]test[.]tsx?$';
const USES_TEST_KIT = [
  '^scripts/',
  `^${CLIENTS}/generation/`,
  `^${TEST_KIT}/`,
  '^services/system-tests/',
  '/testing/',
  TESTS,
];

/** A package is imported by its name, so from what is built of it. */
const builtOf = (name) => `^${name}/dist/`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(PACKAGES).map(([name, imported]) => ({
      name: `imports-of-${name.replace(/^(services|scripts)\//, '')}`,
      comment: `${name} imports only: ${imported.join(', ') || 'no package of ours'}`,
      severity: 'error',
      from: { path: placeOf(name) },
      to: { path: OURS, pathNot: ['/node_modules/', `${placeOf(name)}(?!dist/)`, ...imported.map(builtOf)] },
    })),
    {
      name: 'unlisted-package',
      comment: 'say in scripts/dependency-cruiser.config.mjs what the package may import',
      severity: 'error',
      from: { path: OURS, pathNot: Object.keys(PACKAGES).map(placeOf) },
      to: {},
    },
    {
      name: 'package-by-path',
      comment: 'a package of ours is imported by its name, @partner/…',
      severity: 'error',
      from: { path: OURS },
      to: { path: OURS, pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'test-kit-in-production',
      comment: 'only tests import the test kit, and job-state from outside',
      severity: 'error',
      from: { path: OURS, pathNot: USES_TEST_KIT },
      to: { path: [`^${TEST_KIT}/`, builtOf(JOB_STATE)] },
    },
    ...Object.entries(DRIVERS).map(([name, places]) => ({
      name: `driver-${name}`,
      comment: `${name} is imported only in ${places.join(', ')}`,
      severity: 'error',
      from: {
        path: OURS,
        pathNot: [...places.map((place) => `^${place}`), ...(DATABASE_DRIVERS.includes(name) ? [] : [TESTS])],
      },
      to: { path: `node_modules/(@types/)?${name}/` },
    })),
    ...WEBHOOKS.map((room, index) => ({
      name: `webhooks-${room}`,
      comment: `the folders of the webhooks import one another in one direction: ${WEBHOOKS.toReversed().join(' → ')}`,
      severity: 'error',
      from: { path: `^${webhooks}/${room}/`, pathNot: TESTS },
      to: {
        path: [`^${webhooks}/[^/]+$`, ...WEBHOOKS.slice(index + 1).map((later) => `^${webhooks}/${later}/`)],
      },
    })),
    {
      name: 'circle-of-files',
      comment: 'move what both files need to a file that both import',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-resolved',
      comment: 'no rule sees an import that is not resolved; is the project built?',
      severity: 'error',
      from: {},
      // Not the reference to the types of Node.
      to: { couldNotResolve: true, pathNot: '^node$' },
    },
  ],
  options: {
    // Code for partners; its imports are theirs.
    exclude: { path: ['/receiver-code/code/', '/system-tests/clients/'] },
    doNotFollow: { path: ['node_modules', '/dist/', '/src/gen/'] },
    // Imports of types count too.
    tsPreCompilationDeps: true,
    parser: 'tsc',
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
