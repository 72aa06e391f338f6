/** An id, with the kind of what it names. */
export const ID = /\b(job|whk|evt|dlv|mem|lead|rpl|prj|appt|quo)_[0-9a-z]{26}\b/g;

/** Ids of a company by kind. */
export type Known = Map<string, string>;
