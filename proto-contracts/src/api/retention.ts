/** Standard retention in days: of finished deliveries with their attempts, of feed entries, and of closed jobs outside of the archive. */
export const STANDARD_RETENTION = { deliveriesDays: 90, feedDays: 400, closedJobsDays: 130 } as const;

/** Events are kept this much longer than their deliveries. */
const EVENTS_BEYOND_DELIVERIES_DAYS = 30;

/** Retention of events, in days, for that of finished deliveries. */
export const eventDays = (deliveriesDays: number): number => deliveriesDays + EVENTS_BEYOND_DELIVERIES_DAYS;
