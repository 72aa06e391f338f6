import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { commandOf, copiedPlaces, DOCKERFILE, readDockerfile, stageOf } from './dockerfile.js';

const text = readFileSync(DOCKERFILE, 'utf8');
const { args, stages } = readDockerfile();

/** Everything that the linter can complain about is a fault. */
const STRICT = {
  deprecatedMaintainer: ValidationSeverity.ERROR,
  directiveCasing: ValidationSeverity.ERROR,
  emptyContinuationLine: ValidationSeverity.ERROR,
  instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR,
  instructionEntrypointMultiple: ValidationSeverity.ERROR,
  instructionHealthcheckMultiple: ValidationSeverity.ERROR,
  instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR,
  instructionUnnecessaryArgument: ValidationSeverity.ERROR,
};

const lint = (dockerfile: string) =>
  validate(dockerfile, STRICT).map(
    ({ message, range }) => `line ${range.start.line + 1}: ${JSON.stringify(message)}`,
  );

const texts = (name: string, keyword: string) =>
  stageOf(name)
    .instructions.filter((instruction) => instruction.keyword === keyword)
    .map((instruction) => instruction.text);

const stageWith = (copied: string) => ({
  name: 'copies',
  base: 'scratch',
  instructions: [{ keyword: 'COPY', text: copied }],
});

describe('services/Dockerfile', () => {
  test('has nothing that its linter complains about', () => {
    expect(lint(text)).toEqual([]);
  });

  test.each([
    ['a relative folder', text.replace('WORKDIR /app\n', 'WORKDIR app\n'), /WORKDIR/],
    ['an instruction that is none', text.replace('EXPOSE 8080 9100', 'EXPOSED 8080'), /EXPOSED/],
    ['two commands in one stage', `${text}CMD ["dist/other.js"]\n`, /CMD/],
  ])('%s would be complained about', (_what, dockerfile, complaint) => {
    expect(lint(dockerfile)).toContainEqual(expect.stringMatching(complaint));
  });

  test('takes every base by an argument whose default names a version of Node 24', () => {
    const names = stages.map(({ name }) => name);
    const foreign = stages.map(({ base }) => base).filter((base) => !names.includes(base));

    expect(foreign).toEqual(['${NODE_IMAGE}', '${RUNTIME_IMAGE}']);
    expect(args.get('NODE_IMAGE')).toMatch(/^node:24\.\d+\.\d+-trixie-slim$/);
    expect(args.get('RUNTIME_IMAGE')).toMatch(/^gcr\.io\/distroless\/nodejs24-debian13:nonroot$/);
  });

  test('builds with the Node that .nvmrc gives to developers', () => {
    const developers = readFileSync(path.join(PROJECT_ROOT, '.nvmrc'), 'utf8').trim();
    expect(args.get('NODE_IMAGE')).toBe(`node:${developers}-trixie-slim`);
  });

  test('ends with the stage that is deployed', () => {
    expect(stages.at(-1)?.name).toBe('runtime');
    expect(stages.map(({ name }) => name)).toContain('dev');
  });

  test.each(['runtime', 'dev'])('runs the stage %s as a user who is a number and not root', (name) => {
    expect(texts(name, 'USER')).toEqual(['65532:65532']);
  });

  test('changes nothing in the base of what is deployed, which has no shell', () => {
    expect(texts('runtime', 'RUN')).toEqual([]);
    expect(texts('runtime', 'ADD')).toEqual([]);
    expect(texts('runtime', 'ENTRYPOINT')).toEqual([]);
  });

  test('deploys what is needed at run time alone', () => {
    expect(texts('production', 'RUN').join('\n')).toContain(
      'npm ci --omit=dev --workspace "services/$SERVICE" --include-workspace-root=false',
    );
    expect(texts('production', 'COPY').every((copied) => copied.startsWith('--from=compiled /app/'))).toBe(
      true,
    );
    expect(texts('runtime', 'COPY').every((copied) => copied.startsWith('--from=production /app/'))).toBe(
      true,
    );
    expect(copiedPlaces(stageOf('runtime'), 'console')).toEqual([
      'node_modules',
      'proto-contracts',
      'services/kernel',
      'services/gateway-kit',
      'services/console',
    ]);
  });

  test.each([
    ['package.json .npmrc ./', ['package.json', '.npmrc']],
    ['proto-contracts/package.json proto-contracts/', ['proto-contracts/package.json']],
    ['--from=production /app /app', ['']],
    ['services/${SERVICE} services/${SERVICE}', ['services/job-state']],
  ])('COPY %s leaves things at their place', (line, places) => {
    expect(copiedPlaces(stageWith(line), 'job-state')).toEqual(places);
  });

  test.each(['services/kernel services', 'package.json scripts/', '--from=production /app /srv'])(
    'COPY %s would move something, and is not understood',
    (line) => {
      expect(() => copiedPlaces(stageWith(line), 'job-state')).toThrow(/^the stage copies moves /);
    },
  );

  test('starts with source maps and telemetry', () => {
    expect(commandOf(stageOf('runtime'), 'CMD')).toEqual([
      '--enable-source-maps',
      '--import',
      '@partner/kernel/telemetry/start',
      'dist/main.js',
    ]);
  });

  test('says what the image is', () => {
    const [labels = ''] = texts('runtime', 'LABEL');
    for (const label of ['title', 'description', 'version', 'revision', 'base.name', 'licenses']) {
      expect(labels).toContain(`org.opencontainers.image.${label}=`);
    }
  });

  test('holds no secret: nothing is passed in but what the image is called', () => {
    const given = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword }) => keyword === 'ARG')
        .map(({ text: argument }) => argument.split('=')[0]),
    );
    expect([...new Set(given)].sort()).toEqual(['REVISION', 'RUNTIME_IMAGE', 'SERVICE', 'VERSION']);
  });
});
