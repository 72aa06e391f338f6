import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { stringify } from 'yaml';
import { llmsText, markdownPages } from './markdown-pages.js';
import { renderDocsPages, renderSearchIndex } from './render-docs-pages.js';

export interface ReferenceOptions {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
  /** Whether the page sends requests with a key of its reader. */
  readonly isSandbox: boolean;
  /** Day of the examples, as in `2026-01-31`. */
  readonly day: string;
}

export interface ReferenceTexts {
  readonly openApi: string;
  readonly openApiYaml: string;
  /** The reference by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** What its search finds, as JSON. */
  readonly search: string;
  /** The reference in Markdown, by name. */
  readonly markdown: ReadonlyMap<string, string>;
  readonly llms: string;
}

/** Renders the OpenAPI document and everything that shows it. */
export function renderReference(options: ReferenceOptions): ReferenceTexts {
  const document = createOpenApiDocument({
    serverUrl: serverUrlOf(options.publicBaseUrl),
    sessionCookie: options.sessionCookie,
    today: options.day,
  });
  const openApi = JSON.stringify(document);
  const description = readApiDescription(JSON.parse(openApi));
  return {
    openApi,
    openApiYaml: stringify(JSON.parse(openApi), { aliasDuplicateObjects: false }),
    pages: renderDocsPages(description, options.isSandbox),
    search: renderSearchIndex(description),
    markdown: markdownPages(description),
    llms: llmsText(description, (path) => new URL(path, options.publicBaseUrl).href),
  };
}

/** The base URL of the APIs without a slash at its end. */
export function serverUrlOf(publicBaseUrl: string): string {
  return publicBaseUrl.replace(/\/$/, '');
}
