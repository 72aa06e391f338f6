/** A piece of HTML in which everything that came from elsewhere is escaped. */
export interface Html {
  readonly html: string;
}

/** What may stand in a template: text, which is escaped, or HTML. */
type HtmlValue = string | number | Html | readonly Html[];

/** Writes HTML. Every value is escaped unless it is HTML that was written in the same way. */
export function html(texts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = values.map((value, place) => `${rendered(value)}${texts[place + 1] ?? ''}`);
  return { html: `${texts[0] ?? ''}${parts.join('')}` };
}

/** Nothing, where a template may have something. */
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
