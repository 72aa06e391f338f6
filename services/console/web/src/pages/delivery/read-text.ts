/** A body prepared for display. */
type ReadText =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly text: string; readonly pretty: string }
  | { readonly kind: 'binary'; readonly text: string };

/** Detects the kind of a body. Invalid UTF-8 was replaced by U+FFFD, so a body with that or with control characters counts as binary. */
export function readText(body: string): ReadText {
  if (body === '') return { kind: 'empty' };
  // A response that was cut within a character ends with U+FFFD.
  const kept = body.replace(/\uFFFD{1,3}$/, '');
  if (isBinary(kept)) return { kind: 'binary', text: escapeOdd(body) };
  const pretty = prettyJson(body);
  return pretty === undefined ? { kind: 'text', text: body } : { kind: 'json', text: body, pretty };
}

function isBinary(text: string): boolean {
  return /[\uFFFD\p{Cc}]/u.test(text.replace(/[\t\n\r\f]/g, ''));
}

/** Replaces every invisible character by a visible one. */
function escapeOdd(text: string): string {
  return text.replace(/[\uFFFD\p{Cc}]/gu, (character) => (character === '\n' ? '\n' : '·'));
}

function prettyJson(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined;
  } catch {
    return undefined;
  }
}
