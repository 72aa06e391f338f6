import { spawnSync } from 'node:child_process';

/**
 * Returns the commands that a page prints, in order: those of its shell blocks, each with its further lines, and code spans in its
 * text that begin as one with `scripts/partnerctl`, `rabbitmqctl` or `rabbitmq-diagnostics`, that call `partnerctl` with an id or an option,
 * or that install or run the Python client.
 * Other spans are names.
 */
export function printedCommands(page: string): readonly string[] {
  const commands: string[] = [];
  const parts = /^( *)```(\w*)\n(.*?)^\1```$|`([^`\n]+)`/gms;
  for (const [, indent = '', language, block = '', span] of page.matchAll(parts)) {
    if (language === 'sh') commands.push(...commandsOf(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')));
    else if (span !== undefined && isCommand(span)) commands.push(span);
  }
  return commands;
}

function isCommand(span: string): boolean {
  return /^(scripts\/partnerctl [a-z]|rabbitmqctl |rabbitmq-diagnostics |partnerctl [a-z -]+ (\S*…|.*--)|pip install "|python -m partner_client .*--)/.test(
    span,
  );
}

/** Splits a block where the shell has a complete command. */
function commandsOf(block: string): readonly string[] {
  const commands: string[] = [];
  let lines: string[] = [];
  for (const line of block.split('\n')) {
    if (lines.length === 0 && /^\s*(#|$)/.test(line)) continue;
    lines.push(line);
    const text = lines.join('\n');
    if (/(\\|\|)$/.test(line) || !isComplete(text)) continue;
    commands.push(text);
    lines = [];
  }
  return [...commands, ...(lines.length === 0 ? [] : [lines.join('\n')])];
}

/** Whether the shell needs no further line, also of a here-document. */
function isComplete(text: string): boolean {
  const { status, stderr } = spawnSync('bash', ['-nc', text], { encoding: 'utf8' });
  return status === 0 && stderr === '';
}
