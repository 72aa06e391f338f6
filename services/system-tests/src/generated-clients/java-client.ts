import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureJars, ensureOpenApiGenerator, runProgram } from '../support/toolchains.js';
import type { Generator } from './generator.js';

/** What the generated `pom.xml` names. */
const DEPENDENCIES = [
  { group: 'com.fasterxml.jackson.core', artifact: 'jackson-databind', version: '2.19.2' },
  { group: 'com.fasterxml.jackson.datatype', artifact: 'jackson-datatype-jsr310', version: '2.19.2' },
  { group: 'org.openapitools', artifact: 'jackson-databind-nullable', version: '0.2.8' },
  { group: 'com.google.code.findbugs', artifact: 'jsr305', version: '3.0.2' },
  { group: 'jakarta.annotation', artifact: 'jakarta.annotation-api', version: '2.1.1' },
]
  .map(
    ({ group, artifact, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  )
  .join('\n');

const PROGRAM = `import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ConsoleApi;
import org.openapitools.client.api.InboundApi;
import org.openapitools.client.api.InstallerApi;
import org.openapitools.client.model.LeadIn;
import org.openapitools.client.model.StatusEventIn;

public class Program {
    static String setting(String name) {
        return System.getenv(name);
    }

    static ApiClient client(String header, String value) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(setting("BASE_URL"));
        client.setRequestInterceptor(request -> request.header(header, value));
        return client;
    }

    public static void main(String[] args) throws Exception {
        InboundApi inbound = new InboundApi(client("x-api-key", setting("SELLER_KEY")));
        InstallerApi installer = new InstallerApi(client("x-api-key", setting("INSTALLER_KEY")));
        ConsoleApi console = new ConsoleApi(client("cookie", setting("COOKIE")));
        String unique = setting("UNIQUE");
        String jobId = setting("JOB_ID");

        var lead = inbound.createLead(
            new LeadIn().fullName("Ada Quill").email("ada@example.com").phone("+1 512 555 0100").address(unique + " Main Street"),
            null, null);
        var feed = installer.listJobFeed(null, 100, "start", null, null, null, null);
        int version = feed.getResources().stream()
            .filter(entry -> entry.getResource().getId().equals(jobId))
            .mapToInt(entry -> entry.getResource().getVersion())
            .max().orElseThrow();
        var job = installer.recordStatusEvent(
            jobId, unique,
            new StatusEventIn().status(StatusEventIn.StatusEnum.ACKNOWLEDGED).occurredAt(OffsetDateTime.now(ZoneOffset.UTC)).expectedVersion(version),
            null, null);
        var webhook = console.pauseWebhook(setting("WEBHOOK_ID"), setting("ORIGIN"), null);
        System.out.println(ApiClient.createDefaultObjectMapper().writeValueAsString(Map.of(
            "leadId", lead.getLeadId(),
            "version", job.getResource().getVersion(),
            "state", webhook.getState())));
    }
}
`;

const openApiGenerator = await ensureOpenApiGenerator();
const jars = openApiGenerator === undefined ? undefined : await ensureJars(DEPENDENCIES);

/** The Java files below a directory. */
const sourcesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => path.join(directory, file));

export const JAVA_GENERATORS: readonly Generator[] = [
  {
    title: 'OpenAPI Generator java (Java)',
    build:
      openApiGenerator === undefined || jars === undefined
        ? undefined
        : async (directory) => {
            writeFileSync(path.join(directory, 'Program.java'), PROGRAM);
            await runProgram(
              'java',
              [
                '-jar',
                openApiGenerator,
                'generate',
                '--input-spec=openapi.json',
                '--generator-name=java',
                '--output=client',
                // The client reads a created lead as a merged one, and would refuse the value of its status.
                '--additional-properties=library=native,useJakartaEe=true,enumUnknownDefaultCase=true',
              ],
              { cwd: directory },
            );
            mkdirSync(path.join(directory, 'classes'));
            const sources = [
              path.join(directory, 'Program.java'),
              ...sourcesIn(path.join(directory, 'client/src/main/java')),
            ];
            writeFileSync(path.join(directory, 'sources'), sources.join('\n'));
            await runProgram(
              'javac',
              ['-nowarn', '-proc:none', '-cp', `${jars}/*`, '-d', 'classes', '@sources'],
              {
                cwd: directory,
              },
            );
            return ['java', '-cp', `classes:${jars}/*`, 'Program'];
          },
  },
];
