import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { loadServiceModule } from './load-service-module.js';

/** The variables that a program reads from its environment. */
export interface ProgramSettings {
  readonly names: readonly string[];
  /** Those without which it does not start. */
  readonly required: readonly string[];
}

/** What a service itself says that it reads: the object schema that its `config.ts` exports. */
export interface ServiceSettings extends ProgramSettings {
  /** What is wrong with an environment; empty when the service would start with it. */
  readonly faults: (environment: Readonly<Record<string, string>>) => readonly string[];
}

/** Read by the libraries for traces and by Node, and by no schema. */
export function isSettingOfOthers(name: string): boolean {
  return name.startsWith('OTEL_') || name === 'NODE_OPTIONS';
}

/** Reads the settings of a service out of its compiled schema. Throws when it exports none. */
export async function settingsOf(service: ServiceName): Promise<ServiceSettings> {
  return settingsIn(service, 'config');
}

async function settingsIn(service: ServiceName, file: string): Promise<ServiceSettings> {
  const exported = Object.values(await loadServiceModule(service, file));
  const schema = exported.find((candidate) => candidate instanceof z.ZodObject);
  if (schema === undefined) throw new Error(`${file} of ${service} exports no object schema`);
  const names = Object.keys(schema.shape);
  const none = schema.safeParse({});
  const missing = none.success ? [] : none.error.issues.map(({ path: [name] }) => String(name));
  return {
    names,
    required: names.filter((name) => missing.includes(name)),
    faults: (environment) => {
      const { error } = schema.safeParse(environment);
      return (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    },
  };
}

/** A setting's name and the beginning of its schema, as a program writes them. */
const SETTING = /^ +([A-Z][A-Z0-9_]*): (.*)$/gm;
const CONFIG_FILE = /from '\.\/(\S*config)\.js'/;

/** The settings of another program of job-state, e.g. `migrate`: its schema is in its own file, or in one that it imports. */
export async function settingsOfProgram(program: string): Promise<ProgramSettings> {
  const file = path.join(PROJECT_ROOT, 'services/job-state/src', `${program}.ts`);
  const text = readFileSync(file, 'utf8');
  const [, config] = CONFIG_FILE.exec(text) ?? [];
  if (config !== undefined) return settingsIn('job-state', config);
  const settings = [...text.matchAll(SETTING)].map(([, name = '', schema = '']) => ({ name, schema }));
  return {
    names: settings.map(({ name }) => name),
    required: settings.filter(({ schema }) => !/\.(default|optional)\(/.test(schema)).map(({ name }) => name),
  };
}
