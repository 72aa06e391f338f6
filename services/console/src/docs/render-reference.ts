import { MCP_PATHS } from '@partner/proto-contracts/api/mcp';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { stringify } from 'yaml';
import { llmsText, markdownPages } from './markdown-pages.js';
import { renderDocsPages } from './render-docs-pages.js';

export const PATHS = {
  search: '/docs/search.js',
  codeBlocks: '/docs/code-blocks.js',
  tryIt: '/docs/try-it.js',
  icon: '/docs/icon.svg',
  openApi: '/openapi.json',
  openApiYaml: '/docs/openapi.yaml',
  postman: '/docs/postman-collection.json',
  console: '/console',
  receiverCode: '/console/receiver-code',
  reference: '/docs',
  changelog: '/docs/changelog',
  changelogFeed: '/docs/changelog.atom',
  changelogMarkdown: '/docs/changelog.md',
  llms: '/llms.txt',
} as const;

const markdownPath = (page: string) => `/docs/pages/${page}.md`;

/** What the texts of the reference depend on. */
export interface ReferenceOptions {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
  /** Whether the page sends requests with a key of its reader. */
  readonly isSandbox: boolean;
  /** Day of the examples, as in `2026-01-31`. */
  readonly day: string;
}

/** The reference in all its forms. */
export interface ReferenceTexts {
  readonly openApi: string;
  readonly openApiYaml: string;
  /** The reference by path. */
  readonly pages: ReadonlyMap<string, string>;
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
  const urlOf = (path: string) => new URL(path, options.publicBaseUrl).href;
  return {
    openApi,
    openApiYaml: stringify(JSON.parse(openApi), { aliasDuplicateObjects: false }),
    pages: renderDocsPages(description, PATHS, options.isSandbox),
    markdown: markdownPages(description),
    llms: llmsText(description, {
      urlOf: (page) => urlOf(markdownPath(page)),
      changelog: urlOf(PATHS.changelogMarkdown),
      mcp: Object.values(MCP_PATHS).map(urlOf),
    }),
  };
}

/** The base URL of the APIs without a slash at its end. */
export function serverUrlOf(publicBaseUrl: string): string {
  return publicBaseUrl.replace(/\/$/, '');
}
