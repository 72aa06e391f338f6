import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A shell with a completion script. */
export type Shell = (typeof SHELLS)[number];

/** Possible words after a command path. */
interface Place {
  /** E.g. `partnerctl companies`. */
  readonly path: string;
  readonly commands: readonly {
    readonly names: readonly string[];
    readonly target: string;
    readonly about: string;
  }[];
  readonly options: readonly {
    readonly flag: string;
    readonly about: string;
    readonly choices: readonly string[];
  }[];
}

/** Writes the completion script of a shell from the tree of commands. */
export function completionScript(shell: Shell, program: CommandUnknownOpts): string {
  const places = placesBelow(program, program.name(), globalOptions(program));
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(places)}`;
    case 'fish':
      return fishScript(places);
  }
}

function placesBelow(command: CommandUnknownOpts, path: string, globals: Place['options']): Place[] {
  const { commands } = command;
  const place: Place = {
    path,
    commands: commands.map((child) => ({
      names: [child.name(), ...child.aliases()],
      target: `${path} ${child.name()}`,
      about: child.description(),
    })),
    options: [...(command.parent === null ? [] : optionsOf(command)), ...globals],
  };
  return [place, ...commands.flatMap((child) => placesBelow(child, `${path} ${child.name()}`, globals))];
}

function globalOptions(program: CommandUnknownOpts): Place['options'] {
  return [...optionsOf(program), { flag: '--help', about: 'show help', choices: [] }];
}

function optionsOf(command: CommandUnknownOpts): Place['options'] {
  return command.options.flatMap(({ long, description, argChoices, hidden }) =>
    long === undefined || hidden ? [] : [{ flag: long, about: description, choices: argChoices ?? [] }],
  );
}

function bashScript(places: readonly Place[]): string {
  const steps = places.flatMap(({ path, commands }) =>
    commands.map(
      ({ names, target }) =>
        `      ${names.map((name) => quoted(`${path} ${name}`)).join('|')}) path=${quoted(target)} ;;`,
    ),
  );
  const words = places.map(({ path, commands, options }) => {
    const all = [...commands.flatMap(({ names }) => names), ...options.map(({ flag }) => flag)];
    return `    ${quoted(path)}) words=${quoted(all.join(' '))} ;;`;
  });
  const choices = places.flatMap(({ path, options }) =>
    options.flatMap(({ flag, choices: known }) =>
      known.length === 0 ? [] : [`    ${quoted(`${path} ${flag}`)}) words=${quoted(known.join(' '))} ;;`],
    ),
  );
  return `# Completion of partnerctl, e.g.: source <(scripts/partnerctl completion bash)
_partnerctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path=partnerctl words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
${steps.join('\n')}
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path $previous" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _partnerctl partnerctl scripts/partnerctl
`;
}

function fishScript(places: readonly Place[]): string {
  const steps = places.flatMap(({ path, commands }) =>
    commands.map(
      ({ names, target }) =>
        `      case ${names.map((name) => quoted(`${path} ${name}`)).join(' ')}\n        set path ${quoted(target)}`,
    ),
  );
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `complete -c partnerctl -n ${quoted(`test "$(__partnerctl_path)" = "${path}"`)}`;
    return [
      ...commands.flatMap(({ names, about }) =>
        names.map((name) => `${here} -f -a ${quoted(name)} -d ${quoted(about)}`),
      ),
      ...options.map(
        ({ flag, about, choices }) =>
          `${here} -l ${quoted(flag.slice(2))} -d ${quoted(about)}${choices.length === 0 ? '' : ` -x -a ${quoted(choices.join(' '))}`}`,
      ),
    ];
  });
  return `# Completion of partnerctl, e.g.: scripts/partnerctl completion fish | source
function __partnerctl_path
  set -l path partnerctl
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
${steps.join('\n')}
    end
  end
  echo $path
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
