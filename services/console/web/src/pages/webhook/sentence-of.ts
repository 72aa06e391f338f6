/** Converts a reason of the API to a sentence: `must use port 443` of `The address` becomes `The address must use port 443.` */
export function sentenceOf(reason: string, subject: string): string {
  const text = /^(must|is|has|can|leads) /.test(reason) ? `${subject} ${reason}` : reason;
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Returns the violation of the events among the violations by field. */
export function eventsViolation(violations: Readonly<Record<string, string>>): string | undefined {
  const violation = Object.entries(violations).find(
    ([field]) => field === 'events' || field.startsWith('events.'),
  );
  return violation === undefined ? undefined : sentenceOf(violation[1], 'Each event');
}
