import { randomInt } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';

export function seedOption(byDefault: 'fixed' | 'random'): Option {
  const option = new Option(
    '--seed <seed>',
    `seed of random tests: a number, or \`random\`; by default ${byDefault}`,
  );
  option.argParser(seedFrom);
  return byDefault === 'random' ? option.default(seedFrom('random')) : option;
}

function seedFrom(text: string): number {
  const seed = text === 'random' ? randomInt(2 ** 31) : Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
  throw new InvalidArgumentError('It must be `random` or a whole number from 0 to 2147483647.');
}
