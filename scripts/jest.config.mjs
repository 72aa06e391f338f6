/**
 * Tests run on what `tsc -b` has compiled. The suffix of a file tells what it needs: `x.test` nothing, `x.int.test` real
 * Postgres, RabbitMQ and Redis (`TEST_*_URL`), `x.sys.test` starts whole stacks, `x.alone.sys.test` takes all cores besides.
 * `x.release.….test` takes long and rarely fails.
 */
const rootDir = new URL('..', import.meta.url).pathname;
const roots = ['proto-contracts', 'scripts', 'services'].map((folder) => `${rootDir}${folder}`);

const project = (displayName, testRegex, testPathIgnorePatterns) => ({
  displayName,
  rootDir,
  roots,
  testRegex,
  testPathIgnorePatterns: ['/node_modules/', '/src/', ...testPathIgnorePatterns],
  testEnvironment: 'node',
  transform: {},
  modulePathIgnorePatterns: ['/.stack/'],
});

export default {
  rootDir,
  // Ends what hangs; a busy machine may take many times what a test takes alone.
  testTimeout: 900_000,
  // Modules of finished files are not freed; a large process also takes longer to end than Jest allows.
  workerIdleMemoryLimit: '1GB',
  testSequencer: `${rootDir}scripts/jest-sequencer.mjs`,
  projects: [
    project('unit', '/dist/.*\\.test\\.js$', ['\\.(int|sys)\\.test\\.js$']),
    project('int', '/dist/.*\\.int\\.test\\.js$', ['\\.release\\.']),
    project('sys', '/dist/.*\\.sys\\.test\\.js$', ['\\.(alone|release)\\.']),
    project('release', process.env.RELEASE_TESTS || '/dist/.*\\.release\\.(int|sys)\\.test\\.js$', []),
    project('alone', '/dist/.*\\.alone\\.sys\\.test\\.js$', []),
  ],
};
