import { CONFIRMED_MINUTES } from '@partner/proto-contracts/resources/session/session';

export const SESSION_IDLE_MS = 30 * 60_000;

export const SESSION_LIFETIME_MS = 12 * 3_600_000;

/** How long secrets can be created after the password was entered. */
export const CONFIRMED_MS = CONFIRMED_MINUTES * 60_000;

/** Maximum time between two checks that a session's owner is still one. */
export const OWNER_CHECKED_EVERY_MS = 60_000;

/** The last request of a session is recorded at most this often, so that a burst costs one write a second. */
export const PROLONGED_EVERY_MS = 1_000;
