import { createPartnerctl, type Surroundings } from '../run-partnerctl.js';

/** Runs `partnerctl` in this process and records its output. It has no terminal; the login is olga. */
export function inProcess(surroundings: Partial<Surroundings> = {}) {
  const said = { out: '', err: '' };
  const made = createPartnerctl({
    env: {},
    write: (text) => {
      said.out += text;
    },
    isTerminal: false,
    hasColors: false,
    clear: () => undefined,
    isWatched: false,
    read: async () => '{}',
    loginName: () => 'olga',
    signal: new AbortController().signal,
    ...surroundings,
    tell: (text) => {
      said.err += text;
      surroundings.tell?.(text);
    },
  });
  return { ...made, said };
}
