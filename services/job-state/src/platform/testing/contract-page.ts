import { readFileSync } from 'node:fs';
import { invariant } from '@partner/kernel/process/invariant';

/** The section of one message on the platform contract page. */
export interface ContractSection {
  /** The name of the message, without its package. */
  readonly name: string;
  readonly text: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly meaning: string }[];
  /** Protobuf JSON texts. */
  readonly examples: readonly string[];
}

/** Reads `proto-contracts/docs/platform-contract.md`. */
export function readContractPage(): {
  readonly text: string;
  readonly sections: readonly ContractSection[];
} {
  const text = readFileSync(
    new URL('../../../../../proto-contracts/docs/platform-contract.md', import.meta.url),
    'utf8',
  );
  const sections = text.split(/^(?=#{2,4} )/m).flatMap((part) => {
    const name = /^#{3,4} (\w+)$/m.exec(part)?.[1];
    return name === undefined ? [] : [sectionOf(name, part)];
  });
  return { text, sections };
}

function sectionOf(name: string, text: string): ContractSection {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  return {
    name,
    text,
    fields: rows.map((row) => {
      const [field, type, meaning] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      invariant(field !== undefined && type !== undefined && meaning !== undefined, 'a row has three cells');
      return { name: field, type, meaning };
    }),
    examples: [...text.matchAll(/^```json\n(.*?)^```$/gms)].flatMap(([, example]) => example ?? []),
  };
}
