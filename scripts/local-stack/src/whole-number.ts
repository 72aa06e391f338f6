import { InvalidArgumentError } from 'commander';

/** Reads an option that is an integer in a range; without `max` up to nine digits. */
export function wholeNumber(min: number, max?: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > (max ?? Infinity))
      throw new InvalidArgumentError(
        `It must be a whole number from ${min} ${max === undefined ? 'on' : `to ${max}`}.`,
      );
    return value;
  };
}
