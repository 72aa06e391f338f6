import { z } from 'zod';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { loadServiceModule } from './load-service-module.js';
import { toValueSchema, type ValueSchema } from './value-schema.js';

export interface Setting {
  readonly name: string;
  readonly schema: ValueSchema;
  readonly isRequired: boolean;
}

type DeclaredSettings = Awaited<ReturnType<typeof readSettings>>;

const DECLARED = new Map<string, DeclaredSettings>();
for (const service of SERVICE_NAMES) DECLARED.set(service, await readSettings(service, 'config', 'config'));
DECLARED.set('migrate', await readSettings('job-state', 'config', 'migrateConfig'));
DECLARED.set('seed-sandbox', await readSettings('job-state', 'config', 'seedConfig'));
DECLARED.set(
  'simulate-sandbox',
  await readSettings('job-state', 'sandbox/simulator-config', 'simulatorConfig'),
);

export const PROGRAM_NAMES: readonly string[] = [...DECLARED.keys()];

export function settingsOf(program: string): DeclaredSettings {
  const declared = DECLARED.get(program);
  if (declared === undefined) throw new Error(`${program} declares no settings`);
  return declared;
}

/** Reads the schema of a program's settings, which a module of its service exports. */
async function readSettings(service: ServiceName, file: string, name: string) {
  const schema = (await loadServiceModule(service, file))[name];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${file} of ${service} exports no schema ${name}`);
  const { properties: texts = {}, required = [] } = toValueSchema(schema, 'input');
  const { properties = {} } = toValueSchema(schema, 'output');
  return {
    settings: Object.entries(properties).map(([setting, parsed]): Setting => ({
      name: setting,
      // A text that is parsed into an object stays a text in the settings.
      schema: parsed.type === undefined ? { ...parsed, ...texts[setting] } : parsed,
      isRequired: required.includes(setting),
    })),
    violations: (environment: Readonly<Record<string, string>>) => {
      const { error } = schema.safeParse(environment);
      return (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    },
  };
}
