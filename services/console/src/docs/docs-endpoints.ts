import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { compressedOnce } from '@partner/gateway-kit/http/content-coding';
import { type AnyEndpoint, type EndpointResponse, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { entityTagOf } from '@partner/gateway-kit/http/entity-tag';
import { ServiceError } from '@partner/kernel/process/service-error';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { isLoopbackHttp } from '../loopback-http.js';
import { renderChangelog, renderChangelogFeed } from './render-changelog.js';
import { renderLandingPage } from './render-landing-page.js';
import { STYLE_SOURCE } from './render-page.js';
import { PATHS, type ReferenceOptions, type ReferenceTexts, serverUrlOf } from './render-reference.js';

const MARKDOWN = 'text/markdown; charset=utf-8';

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
 * each day renders it, and compresses what it asks for, so that a console starts fast. Browsers cache them and revalidate each time.
 */
export function createDocsEndpoints<Principal>(options: {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
  /** Whether the page sends requests with a key of its reader. */
  readonly isSandbox: boolean;
}): readonly AnyEndpoint<Principal>[] {
  const { sessionCookie, isSandbox } = options;
  const texts = textsOfToday({ publicBaseUrl: options.publicBaseUrl, sessionCookie, isSandbox });
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
    textEndpoint(
      'getOpenApi',
      PATHS.openApi,
      'application/json; charset=utf-8',
      async () => (await texts()).openApi,
    ),
    textEndpoint(
      'getOpenApiYaml',
      PATHS.openApiYaml,
      'application/yaml',
      async () => (await texts()).openApiYaml,
    ),
    textEndpoint('getLandingPage', '/', HTML, () => landing, { 'content-security-policy': PAGE_POLICY }),
    textEndpoint('getChangelog', PATHS.changelog, HTML, () => page, {
      'content-security-policy': PAGE_POLICY,
    }),
    textEndpoint('getChangelogMarkdown', PATHS.changelogMarkdown, MARKDOWN, () => changelog),
    textEndpoint('getLlmsText', PATHS.llms, 'text/plain; charset=utf-8', async () => (await texts()).llms),
    textEndpoint('getDocsMarkdown', '/docs/pages/:page', MARKDOWN, async (page) =>
      (await texts()).markdown.get(page.replace(/\.md$/, '')),
    ),
    textEndpoint('getChangelogFeed', PATHS.changelogFeed, 'application/atom+xml', () => feed),
    textEndpoint('getPostmanCollection', PATHS.postman, 'application/json; charset=utf-8', () => postman, {
      'content-disposition': 'attachment; filename="partner-integration-api.postman_collection.json"',
    }),
    textEndpoint(
      'getDocs',
      PATHS.reference,
      HTML,
      async () => (await texts()).pages.get(PATHS.reference),
      policy,
    ),
    textEndpoint(
      'getDocsRoot',
      `${PATHS.reference}/`,
      HTML,
      async () => (await texts()).pages.get(PATHS.reference),
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
      async (page) => (await texts()).pages.get(`${PATHS.reference}/${page}`),
      policy,
    ),
  ];
}

/**
 * Returns the texts that depend on the day, rendered again on the first request of each day: some examples need a recent date. A thread
 * renders them, since it takes as long as hundreds of requests.
 */
function textsOfToday(options: Omit<ReferenceOptions, 'day'>): () => Promise<ReferenceTexts> {
  let made: { readonly day: string; readonly texts: Promise<ReferenceTexts> } | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (made?.day === day) return made.texts;
    const texts = renderInThread({ ...options, day });
    texts.catch(() => (made = undefined));
    made = { day, texts };
    return texts;
  };
}

async function renderInThread(options: ReferenceOptions): Promise<ReferenceTexts> {
  const thread = new Worker(new URL('./render-reference-thread.js', import.meta.url), {
    workerData: options,
  });
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the thread's only message
  const [texts]: ReferenceTexts[] = await once(thread, 'message');
  if (texts === undefined) throw new Error('the thread sent no texts');
  return texts;
}

/** Serves texts at a path that may have a parameter `page`; a page without a text is 404. Each text is encoded and compressed once. */
function textEndpoint<Principal>(
  id: string,
  path: string,
  contentType: string,
  read: (page: string) => string | undefined | Promise<string | undefined>,
  headers: Readonly<Record<string, string>> = {},
): AnyEndpoint<Principal> {
  const made = async (text: string): Promise<EndpointResponse> => ({
    status: 200,
    bytes: Buffer.from(text),
    compressed: await compressedOnce(text),
    headers: {
      'content-type': contentType,
      'cache-control': 'public, no-cache',
      etag: entityTagOf(CURRENT_API_VERSION, text),
      ...headers,
    },
  });
  const responses = new Map<
    string,
    { readonly text: string; readonly response: Promise<EndpointResponse> }
  >();
  const operation = { id, method: 'get', path, unauthenticated: true, conditional: true } as const;
  return serveOperation(operation, async ({ params: { page = '' } }) => {
    const text = await read(page);
    if (text === undefined) throw new ServiceError('not_found', 'path: there is no such page');
    const known = responses.get(page);
    if (known?.text === text) return known.response;
    const response = made(text);
    responses.set(page, { text, response });
    return response;
  });
}

/** Reads a file that the build of the web app made. */
function bundledText(name: string): string {
  return readFileSync(new URL(`../web-bundle/${name}`, import.meta.url), 'utf8');
}

function scriptOf(name: string): string {
  return readFileSync(new URL(`../docs-page/${name}.js`, import.meta.url), 'utf8');
}
