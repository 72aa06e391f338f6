import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { PROGRAM_NAMES, type Setting, settingsOf } from './declared-settings.js';
import { servesHttp } from './chart-facts.js';
import { inline, renderTable } from './render-values.js';
import { allowedValues } from './value-schema.js';

export const SETTINGS_PAGE = 'charts/docs/settings.md';

const GROUPS: readonly (readonly [name: string, programs: readonly string[]])[] = [
  ['all services', SERVICE_NAMES],
  ['gateways and console', SERVICE_NAMES.filter(servesHttp)],
];

export function renderSettingsPage(generated: string): string {
  const body = declaredOnce().map(({ setting: { name, schema, isRequired }, programs }) => [
    readersOf(programs),
    `\`${name}\``,
    isRequired ? 'required' : schema.default === undefined ? '' : `\`${inline(schema.default)}\``,
    allowedValues(schema),
    schema.description ?? '',
  ]);
  return `# Settings

For an operator who configures a service.

<!-- ${generated} -->

Settings are environment variables, validated at start. A service with invalid settings logs all violations together and exits with 1. The charts set them from \`config\` and from the existing
secret. \`migrate\`, \`seed-sandbox\` and \`simulate-sandbox\` also read the settings of job-state that they need. OpenTelemetry reads its other \`OTEL_*\` variables itself.

${renderTable(['read by', 'setting', 'default', 'allowed', 'meaning'], body)}
`;
}

function declaredOnce() {
  const found = new Map<string, { readonly setting: Setting; readonly programs: string[] }>();
  for (const program of PROGRAM_NAMES) {
    for (const setting of settingsOf(program).settings) {
      const known = found.get(setting.name);
      if (known === undefined) found.set(setting.name, { setting, programs: [program] });
      else if (isService(program)) known.programs.push(program);
    }
  }
  return [...found.values()];
}

function isService(program: string): boolean {
  return SERVICE_NAMES.some((service) => service === program);
}

function readersOf(programs: readonly string[]): string {
  const group = GROUPS.find(
    ([, members]) =>
      members.length === programs.length && members.every((member) => programs.includes(member)),
  );
  return group?.[0] ?? programs.join(', ');
}
