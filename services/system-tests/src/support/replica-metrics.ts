/**
 * The sum of a metric of one process over all label values but the given ones; 0 when it has none yet. Read from the admin
 * port's `/metrics`.
 */
export async function readMetric(
  adminUrl: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(60_000) });
  const text = await response.text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
