import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type CommandContext, examples } from '../command-context.js';
import { completionScript, SHELLS } from '../completion-script.js';

/** `partnerctl completion`: prints a completion script for a shell. */
export function completionCommand(context: CommandContext, program: () => CommandUnknownOpts) {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('print a completion script for the shell')
    .addHelpText(
      'after',
      examples(
        'source <(partnerctl completion bash)',
        'partnerctl completion fish >~/.config/fish/completions/partnerctl.fish',
      ),
    )
    .action((shell) => {
      const script = completionScript(shell, program());
      context.output().words({ shell, script }, script);
    });
}
