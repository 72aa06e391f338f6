/** Converts a time to the value of a `datetime-local` field, in the reader's time zone; empty for none. */
export function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return '';
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Converts the value of such a field to ISO text; undefined if it is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
