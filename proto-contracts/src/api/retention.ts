/** Standard retention in days: of finished deliveries with their attempts, and of feed entries. */
export const STANDARD_RETENTION = { deliveriesDays: 90, feedDays: 400 } as const;

/** Events are kept this much longer than their deliveries. */
const EVENTS_BEYOND_DELIVERIES_DAYS = 30;

/** Retention of events, in days, for that of finished deliveries. */
export const eventDays = (deliveriesDays: number): number => deliveriesDays + EVENTS_BEYOND_DELIVERIES_DAYS;
