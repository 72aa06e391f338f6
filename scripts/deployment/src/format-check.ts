import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';

/** A check of documents against the published JSON schema of their format. */
export interface FormatCheck {
  /** Empty, or the reason of a skipped check, for the title of a test. */
  readonly note: string;
  /** Returns the faults of a document; empty without a schema. */
  readonly faults: (document: unknown) => readonly string[];
}

/**
 * The project does not contain the schemas of others. This reads them from FORMAT_SCHEMAS, or from `../shared/schemas`
 * beside the project. Without them the check reports that it was skipped, in its note and in the output.
 */
export function createFormatCheck(file: string): FormatCheck {
  const directory = process.env['FORMAT_SCHEMAS'] ?? path.join(PROJECT_ROOT, '../shared/schemas');
  const schemaFile = path.join(directory, file);
  if (!existsSync(schemaFile)) {
    process.stdout.write(`formats: the check against ${file} was skipped: there is no ${schemaFile}\n`);
    return { note: ` (skipped: its schema is not at ${schemaFile})`, faults: () => [] };
  }
  // Schemas name their draft in several ways; the validator supports only some.
  const { $schema: _draft, ...schema } = z
    .looseObject({})
    .parse(JSON.parse(readFileSync(schemaFile, 'utf8')));
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return {
    note: '',
    faults: (document) =>
      validate(document)
        ? []
        : (validate.errors ?? []).map(
            ({ instancePath, message = '', params }) =>
              `${instancePath}: ${message} ${JSON.stringify(params)}`,
          ),
  };
}
