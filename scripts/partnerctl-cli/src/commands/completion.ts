import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type CommandContext, topCommand } from '../command-context.js';
import { completionScript, SHELLS } from '../completion-script.js';

/** `partnerctl completion`: prints a completion script for a shell. */
export function completionCommand(context: CommandContext, program: () => CommandUnknownOpts) {
  return topCommand(
    'completion',
    'print a completion script for the shell',
    'source <(partnerctl completion bash)',
    'partnerctl completion fish >~/.config/fish/completions/partnerctl.fish',
  )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell) => {
      const script = completionScript(shell, program());
      context.output.file({ shell, script }, script);
    });
}
