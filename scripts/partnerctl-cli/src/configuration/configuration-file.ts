import { technicalContactIn } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { configuredWebhooks } from '@partner/proto-contracts/resources/webhook-proposal/configured-webhook';
import type { FieldViolation } from '@partner/kernel/process/service-error';
import { validate } from '@partner/kernel/process/validation';
import { Document, isCollection, isNode, isPair, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { wrongUsage } from '../exit-codes.js';
import { escaped, isPrintable } from '../output.js';

const configuredCompany = z.strictObject({
  technicalContact: technicalContactIn.shape.email.optional(),
  webhooks: configuredWebhooks.optional(),
});

const configuration = z.strictObject({ companies: z.record(z.string(), configuredCompany) });

/** The webhooks and technical contacts of companies, by the id of the company; undefined ones are not managed. */
export type Configuration = z.infer<typeof configuration>;

export interface ConfigurationFile {
  readonly configuration: Configuration;
  refuse(violations: readonly FieldViolation[]): never;
}

/** Parses a configuration file. Fails with every violation, each with its line and its path. `name` names the file. */
export function parseConfigurationFile(name: string, text: string): ConfigurationFile {
  const lines = new LineCounter();
  const document = readYaml(name, () => parseDocument(text, { lineCounter: lines, prettyErrors: false }));
  const [first] = document.errors;
  if (first !== undefined) throw wrongUsage(`${name}:${lines.linePos(first.pos[0]).line}: ${first.message}`);
  const refuse = (violations: readonly FieldViolation[]): never => {
    throw wrongUsage(
      violations
        .map(
          ({ path, message }) =>
            `${name}:${lines.linePos(offsetOf(document, path)).line}: ${path}: ${message}`,
        )
        .join('\n'),
    );
  };
  const value: unknown = readYaml<unknown>(name, () => document.toJS());
  const checked = validate(configuration, value, 'file');
  return checked.valid ? { configuration: checked.value, refuse } : refuse(checked.violations);
}

/** Fails with the reason for a file that the YAML library gives up on: its aliases multiply too far, or it is nested too deeply. */
function readYaml<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice =
      error instanceof RangeError ? 'it is nested too deeply' : `${reason}; write the values out`;
    throw wrongUsage(`${name}: cannot be read as YAML: ${advice}`);
  }
}

/** Returns where the value at a path begins; where it is missing, the nearest value that should contain it. */
function offsetOf(document: Document, path: string): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (let names = path.split('.'); names.length > 0 && isCollection(node);) {
    const parent = node;
    // A name can contain dots.
    const parts = names.findIndex((_, last) => parent.has(names.slice(0, last + 1).join('.'))) + 1;
    if (parts === 0) break;
    node = parent.get(names.slice(0, parts).join('.'), true);
    if (isNode(node) && node.range) offset = node.range[0];
    names = names.slice(parts);
  }
  return offset;
}

/**
 * Writes a configuration as a file, with exactly the given values and without characters that a terminal would interpret. `titles`
 * has the names of companies by id, for comments.
 */
export function writeConfigurationFile(
  written: Configuration,
  titles: Readonly<Record<string, string>>,
): string {
  const document = new Document(written);
  visit(document, {
    Pair(_, { key }, ancestors) {
      const title = isNode(key) && 'value' in key ? titles[String(key.value)] : undefined;
      if (isNode(key) && title !== undefined && ancestors.filter(isPair).length === 1)
        key.commentBefore = ` ${title.replaceAll('\n', ' ')}`;
    },
    Scalar(_, scalar) {
      // Only double quotes have escapes.
      if (typeof scalar.value === 'string' && !isPrintable(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(
    document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }),
  );
}
