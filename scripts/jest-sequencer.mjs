import TestSequencer from '@jest/test-sequencer';

const startsStacks = ({ path }) => path.endsWith('.sys.test.js');

/** Runs system tests first: they take longest, and short tests fill the time beside the last of them. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(startsStacks), ...sorted.filter((test) => !startsStacks(test))];
  }
}
