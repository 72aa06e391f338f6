/** Maximum nesting of objects and arrays in a request. The API needs at most 5. */
export const MAX_JSON_DEPTH = 64;

/**
 * Maximum tokens of the JSON in a request: brackets, braces, commas, colons, texts, numbers and literals (RFC 8259, 2). No valid
 * request needs an eighth of them, but one with a file of webhooks half.
 */
export const MAX_JSON_TOKENS = 20_000;

/**
 * Returns how a JSON text exceeds the bounds of a request; undefined if it does not. One pass, which counts nothing within texts and
 * stops at the bound. So a body that would take long to parse costs a millisecond. Whether the text is valid JSON is left to the parser.
 */
export function jsonExcess(json: Uint8Array): string | undefined {
  let tokens = 0;
  let depth = 0;
  let isInScalar = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    switch (character) {
      case 0x20: // space
      case 0x09: // tab
      case 0x0a: // line feed
      case 0x0d: // carriage return
        isInScalar = false;
        continue;
      case 0x22: // "
        at = endOfText(json, at);
        isInScalar = false;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > MAX_JSON_DEPTH) return `must not nest deeper than ${MAX_JSON_DEPTH} levels`;
        isInScalar = false;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        isInScalar = false;
        break;
      case 0x2c: // ,
      case 0x3a: // :
        isInScalar = false;
        break;
      default:
        // Of a number or a literal the first character counts.
        if (isInScalar) continue;
        isInScalar = true;
    }
    tokens += 1;
    if (tokens > MAX_JSON_TOKENS) return `must have at most ${MAX_JSON_TOKENS} JSON tokens`;
  }
  return undefined;
}

/** Returns the position of the quote that ends the text begun at `start`, or the length without one. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== 0x22) at += json[at] === 0x5c ? 2 : 1;
  return at;
}
