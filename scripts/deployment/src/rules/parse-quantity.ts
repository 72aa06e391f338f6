const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** Parses a quantity of Kubernetes to bytes or processors. Throws for an invalid one. */
export function parseQuantity(text: string | number): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  const factor = FACTORS[unit];
  if (digits === '' || factor === undefined) throw new Error(`${text} is not a quantity`);
  return Number(digits) * factor;
}
