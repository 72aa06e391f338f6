/** A piece of HTML in which all other values are escaped. */
export interface Html {
  readonly html: string;
}

/** A template value: text, which is escaped, or HTML. */
type HtmlValue = string | number | Html | readonly Html[];

/** Creates HTML from a template. Every value is escaped, except HTML from this function. */
export function html(texts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = values.map((value, place) => `${rendered(value)}${texts[place + 1] ?? ''}`);
  return { html: `${texts[0] ?? ''}${parts.join('')}` };
}

/** Empty HTML, for optional template values. */
export const NOTHING: Html = { html: '' };

function rendered(value: HtmlValue): string {
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Returns the text of HTML from these functions, without its marks. */
export function textOf({ html: marked }: Html): string {
  const text = marked
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const plain = Object.entries(ENTITIES).map(([character, entity]) => [entity, character] as const);
  return plain.reduceRight((known, [entity, character]) => known.replaceAll(entity, character), text);
}
