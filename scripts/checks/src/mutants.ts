import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

const RULES: Readonly<Record<string, readonly string[]>> = {
  'services/job-state': [
    'jobs/moves',
    'idempotency/run-idempotent',
    'leads/address-key/normalise-address',
    'webhooks/schedule/claim-due',
    'webhooks/attempts/settle-attempt',
    'webhooks/subscriptions/allowed-events',
  ],
  'services/webhook-dispatcher': ['address-rules', 'retry-after', 'lease-memory'],
  'services/kernel': [
    'security/webhook-signature',
    'security/secret-sealing',
    'process/keyed-throttle',
    'process/share-gate',
  ],
  'services/gateway-kit': ['limits/sliding-window', 'http/canonical-json', 'operations/event-cursor'],
  'services/installer-gateway': ['feed-cursor', 'technician-cursor'],
};

const MORE_TESTS: Readonly<Record<string, readonly string[]>> = {
  'webhooks/schedule/claim-due': ['webhooks/schedule/release-due', 'webhooks/schedule/release-batch'],
};

const LEAST_KILLED = 0.85;

function mutantsOf(module: string): ReturnType<Stryker['runMutationTest']> {
  return new Stryker({
    mutate: [`dist/${module}.js`],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules'],
    coverageAnalysis: 'perTest',
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      config: {
        testMatch: [module, ...(MORE_TESTS[module] ?? [])].map((name) => `**/dist/${name}.?(int.)test.js`),
        testEnvironment: 'node',
        transform: {},
      },
    },
    ignorePatterns: ['src', '**/*.ts', '**/*.map'],
    // Compiled, so without types.
    disableTypeChecks: false,
    reporters: ['progress-append-only'],
    // A busy machine may take many times what a test takes alone.
    timeoutMS: 15_000,
    tempDirName: '.stack',
    warnings: false,
  }).runMutationTest();
}

/**
 * Tests the tests of the modules that hold rules: prints, for each module whose path matches, the surviving mutants. Returns
 * whether the tests of each module noticed at least 85 % of the mutants.
 */
async function testTheTests(pattern: string): Promise<boolean> {
  let isEnough = true;
  for (const [folder, modules] of Object.entries(RULES)) {
    process.chdir(path.join(PROJECT_ROOT, folder));
    for (const module of modules.filter((one) => `${folder}/${one}`.includes(pattern))) {
      const mutants = (await mutantsOf(module)).filter(({ status }) => status !== 'Ignored');
      const missed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
      const killed = 1 - missed.length / mutants.length;
      isEnough &&= killed >= LEAST_KILLED;
      process.stdout.write(
        `${folder}/${module}: ${mutants.length - missed.length} of ${mutants.length} (${Math.floor(killed * 100)} %)\n`,
      );
      for (const { location, mutatorName, replacement, status } of missed)
        process.stdout.write(
          `  ${location.start.line}:${location.start.column} ${mutatorName} ${status}: ${replacement}\n`,
        );
    }
  }
  return isEnough;
}

process.exit((await testTheTests(process.argv[2] ?? '')) ? 0 : 1);
