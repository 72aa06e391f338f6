import { useServiceStatus } from '../../api/hooks.js';
import { ExactTime, useNow } from '../../parts/data.js';
import { Link } from '../../parts/link.js';
import { Notice } from '../../parts/page.js';
import { PATHS } from '../../paths.js';

/** How long after its end an incident of the service is shown: 7 days. */
const SHOWN_MS = 7 * 24 * 3_600_000;

const shifted = (at: string, minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();

/** Says when the service was degraded lately, and leads to what was sent then. */
export function IncidentNotice() {
  const { data } = useServiceStatus();
  const now = useNow();
  const [incident] = data?.incidents ?? [];
  if (incident === undefined || incident.until === null) return null;
  const { from, until, cause } = incident;
  if (now.getTime() - Date.parse(until) > SHOWN_MS) return null;
  return (
    <Notice
      tone="info"
      title={cause === 'late' ? 'Webhooks were sent late' : 'Most webhooks of all companies were failing'}
    >
      {'From '}
      <ExactTime at={from} />
      {' to '}
      <ExactTime at={until} />
      {'. '}
      <Link to={PATHS.deliveries({ from: shifted(from, -5), to: shifted(until, 1) })}>
        Show the deliveries of that time
      </Link>
    </Notice>
  );
}
