import path from 'node:path';
import {
  type Command,
  ensureGoModule,
  ensureGoProgram,
  ensureJars,
  ensureOpenApiGenerator,
} from '@partner/local-stack/toolchains';

export const CLIENTS = path.resolve(import.meta.dirname, '../..', 'clients');

/** A tool that generates a client from the OpenAPI document. */
export interface ClientGenerator {
  readonly title: string;
  /** The folder in {@link CLIENTS} with a program that makes calls with the client. */
  readonly folder: string;
  /**
   * Run in a copy of the folder, beside `openapi.json`. They generate the client, compile it with the program, and run this.
   * It prints its report as JSON. Undefined if the toolchain is missing.
   */
  readonly commands: readonly Command[] | undefined;
}

/** What the `pom.xml` of a Java client names. */
const JAVA_DEPENDENCIES = [
  'com.fasterxml.jackson.core:jackson-databind:2.19.2',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.19.2',
  'org.openapitools:jackson-databind-nullable:0.2.8',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:2.1.1',
].map((coordinates) => {
  const [group = '', artifact = '', version = ''] = coordinates.split(':');
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
});

const openApiGenerator = await ensureOpenApiGenerator();
const jars = openApiGenerator && (await ensureJars(JAVA_DEPENDENCIES.join('\n')));
const oapiCodegen = await ensureGoProgram('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2');
const goModule =
  oapiCodegen &&
  (await ensureGoModule([
    'github.com/oapi-codegen/runtime@v1.8.0',
    'github.com/oapi-codegen/runtime/types@v1.8.0',
  ]));

/** A command of OpenAPI Generator, which writes to `client`. */
const generate = (jar: string, generator: string, ...options: readonly string[]): Command => [
  ...(['java', '-jar', jar, 'generate', '--input-spec=openapi.json', '--output=client'] as const),
  ...[`--generator-name=${generator}`, ...options],
];

/** Generators of languages without a client of ours, whose options the guide for partners names. */
export const CLIENT_GENERATORS: readonly ClientGenerator[] = [
  {
    title: 'oapi-codegen (Go)',
    folder: 'oapi-codegen',
    commands:
      oapiCodegen === undefined || goModule === undefined
        ? undefined
        : [
            ['cp', path.join(goModule, 'go.mod'), path.join(goModule, 'go.sum'), '.'],
            [oapiCodegen, '-config', 'configuration.yaml', 'openapi.json'],
            ['go', 'build', '-o', 'program', '.'],
            ['./program'],
          ],
  },
  {
    title: 'OpenAPI Generator java (Java)',
    folder: 'java',
    commands:
      openApiGenerator === undefined || jars === undefined
        ? undefined
        : [
            generate(
              openApiGenerator,
              'java',
              // The client reads a created lead as a merged one, and would refuse the value of its status.
              '--additional-properties=library=native,useJakartaEe=true,enumUnknownDefaultCase=true',
            ),
            [
              'bash',
              '-c',
              `javac -nowarn -proc:none -cp '${jars}/*' -d classes $(find . -name '*.java' -not -path '*/test/*')`,
            ],
            ['java', '-cp', `classes:${jars}/*`, 'Program'],
          ],
  },
];
