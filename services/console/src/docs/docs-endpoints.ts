import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { MCP_PATHS } from '@partner/proto-contracts/api/mcp';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { compressedOnce } from '@partner/gateway-kit/content-coding';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { entityTagOf } from '@partner/gateway-kit/entity-tag';
import { ServiceError } from '@partner/kernel/service-error';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { isLoopbackHttp } from '../loopback-http.js';
import { renderChangelog, renderChangelogFeed } from './render-changelog.js';
import { llmsText, markdownPages } from './markdown-pages.js';
import { renderDocsPages } from './render-docs-pages.js';
import { renderLandingPage } from './render-landing-page.js';
import { STYLE_SOURCE } from './render-page.js';

const PATHS = {
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

const MARKDOWN = 'text/markdown; charset=utf-8';
const markdownPath = (page: string) => `/docs/pages/${page}.md`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M4 4h8v1.6H4zm0 3.2h8v1.6H4zm0 3.2h5V12H4z" fill="#fff"/></svg>\n`;

const SCRIPT = 'text/javascript; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

/** A page loads everything from its own origin, has no inline script and only its own inline style, and sends nothing. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** In the sandbox the reference sends requests of the reader to the APIs. */
const SANDBOX_POLICY = `${PAGE_POLICY}; connect-src 'self'`;

/**
 * Creates the public endpoints of the API reference: the OpenAPI document, its rendered page, the changelog, and the landing page. The first request of
 * each day renders and compresses both, so that a console starts fast. Browsers cache them and revalidate each time.
 */
export function createDocsEndpoints<Principal>(options: {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
  /** Whether the page sends requests with a key of its reader. */
  readonly isSandbox: boolean;
}): readonly AnyEndpoint<Principal>[] {
  const texts = textsOfToday(options);
  const changelog = bundledText('changelog.md');
  const postman = bundledText('postman-collection.json').replaceAll(
    'https://api.partner.example',
    serverUrlOf(options.publicBaseUrl),
  );
  const page = renderChangelog(changelog, PATHS);
  const landing = renderLandingPage(PATHS, isLoopbackHttp(options.publicBaseUrl));
  const urlOf = (path: string) => new URL(path, options.publicBaseUrl).href;
  const feed = renderChangelogFeed(changelog, urlOf(PATHS.changelog), urlOf(PATHS.changelogFeed));
  const policy = { 'content-security-policy': options.isSandbox ? SANDBOX_POLICY : PAGE_POLICY };
  const [search, codeBlocks, tryIt] = [scriptOf('search'), scriptOf('code-blocks'), scriptOf('try-it')];
  return [
    textEndpoint('getOpenApi', PATHS.openApi, 'application/json; charset=utf-8', () => texts().openApi),
    textEndpoint('getOpenApiYaml', PATHS.openApiYaml, 'application/yaml', () => texts().openApiYaml),
    textEndpoint('getLandingPage', '/', HTML, () => landing, { 'content-security-policy': PAGE_POLICY }),
    textEndpoint('getChangelog', PATHS.changelog, HTML, () => page, {
      'content-security-policy': PAGE_POLICY,
    }),
    textEndpoint('getChangelogMarkdown', PATHS.changelogMarkdown, MARKDOWN, () => changelog),
    textEndpoint('getLlmsText', PATHS.llms, 'text/plain; charset=utf-8', () => texts().llms),
    textEndpoint('getDocsMarkdown', '/docs/pages/:page', MARKDOWN, (page) =>
      texts().markdown.get(page.replace(/\.md$/, '')),
    ),
    textEndpoint('getChangelogFeed', PATHS.changelogFeed, 'application/atom+xml', () => feed),
    textEndpoint('getPostmanCollection', PATHS.postman, 'application/json; charset=utf-8', () => postman, {
      'content-disposition': 'attachment; filename="partner-integration-api.postman_collection.json"',
    }),
    textEndpoint('getDocs', PATHS.reference, HTML, () => texts().pages.get(PATHS.reference), policy),
    textEndpoint(
      'getDocsRoot',
      `${PATHS.reference}/`,
      HTML,
      () => texts().pages.get(PATHS.reference),
      policy,
    ),
    textEndpoint('getDocsSearch', PATHS.search, SCRIPT, () => search),
    textEndpoint('getDocsCodeBlocks', PATHS.codeBlocks, SCRIPT, () => codeBlocks),
    textEndpoint('getDocsTryIt', PATHS.tryIt, SCRIPT, () => tryIt),
    textEndpoint('getDocsIcon', PATHS.icon, 'image/svg+xml', () => ICON),
    // The last one: the paths before it are not pages of the reference.
    textEndpoint(
      'getDocsPage',
      `${PATHS.reference}/:page`,
      HTML,
      (page) => texts().pages.get(`${PATHS.reference}/${page}`),
      policy,
    ),
  ];
}

interface TextsOfDay {
  readonly day: string;
  readonly openApi: string;
  readonly openApiYaml: string;
  /** The reference by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** The reference in Markdown, by name. */
  readonly markdown: ReadonlyMap<string, string>;
  readonly llms: string;
}

/**
 * Returns the document and its pages, rendered again on the first request of each day: some examples need a recent date.
 */
function textsOfToday(options: {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
  readonly isSandbox: boolean;
}): () => TextsOfDay {
  let made: TextsOfDay | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (made?.day !== day) {
      const document = createOpenApiDocument({
        serverUrl: serverUrlOf(options.publicBaseUrl),
        sessionCookie: options.sessionCookie,
        today: day,
      });
      const openApi = JSON.stringify(document);
      const description = readApiDescription(JSON.parse(openApi));
      const urlOf = (path: string) => new URL(path, options.publicBaseUrl).href;
      made = {
        day,
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
    return made;
  };
}

/** Serves texts at a path that may have a parameter `page`; a page without a text is 404. Each text is compressed once. */
function textEndpoint<Principal>(
  id: string,
  path: string,
  contentType: string,
  read: (page: string) => string | undefined,
  headers: Readonly<Record<string, string>> = {},
): AnyEndpoint<Principal> {
  const made = (text: string) => ({
    status: 200,
    text,
    compressed: compressedOnce(text),
    headers: {
      'content-type': contentType,
      'cache-control': 'public, no-cache',
      etag: entityTagOf(CURRENT_API_VERSION, text),
      ...headers,
    },
  });
  const responses = new Map<string, ReturnType<typeof made>>();
  const operation = { id, method: 'get', path, unauthenticated: true, conditional: true } as const;
  return serveOperation(operation, async ({ params: { page = '' } }) => {
    const text = read(page);
    if (text === undefined) throw new ServiceError('not_found', 'path: there is no such page');
    const known = responses.get(page);
    if (known?.text === text) return known;
    const response = made(text);
    responses.set(page, response);
    return response;
  });
}

function serverUrlOf(publicBaseUrl: string): string {
  return publicBaseUrl.replace(/\/$/, '');
}

/** Reads a file that the build of the web app made. */
function bundledText(name: string): string {
  return readFileSync(new URL(`../web-bundle/${name}`, import.meta.url), 'utf8');
}

function scriptOf(name: string): string {
  return readFileSync(new URL(`../docs-page/${name}.js`, import.meta.url), 'utf8');
}
