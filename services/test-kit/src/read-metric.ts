import { sendCall } from './http-call.js';

/**
 * Returns the sum of a metric of one process over all label values but the given ones; 0 if it has none yet. Reads it from the
 * admin port's `/metrics`.
 */
export async function readMetric(
  adminUrl: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { text } = await sendCall(adminUrl, '/metrics');
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
