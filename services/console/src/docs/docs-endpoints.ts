import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { compressedOnce } from '@partner/gateway-kit/http/content-coding';
import { type AnyEndpoint, type EndpointResponse, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { entityTagOf } from '@partner/gateway-kit/http/entity-tag';
import { ServiceError } from '@partner/kernel/process/service-error';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { isLoopbackHttp } from '../config.js';
import { pagePolicy, PATHS, renderChangelog, renderChangelogFeed } from './render-page.js';
import { notFoundPage, renderLandingPage } from './signed-out-pages.js';
import { type ReferenceOptions, type ReferenceTexts, serverUrlOf } from './render-reference.js';

const MARKDOWN = 'text/markdown; charset=utf-8';

const JSON_TEXT = 'application/json; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

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
  const { publicBaseUrl } = options;
  const texts = textsOfToday(options);
  const changelog = bundledText('changelog.md');
  const postman = bundledText('postman-collection.json').replaceAll(
    'https://api.partner.example',
    serverUrlOf(publicBaseUrl),
  );
  const urlOf = (path: string) => new URL(path, publicBaseUrl).href;
  const feed = renderChangelogFeed(changelog, urlOf(PATHS.changelog), urlOf(PATHS.changelogFeed));
  const policyOf = (kind: 'signed-out' | 'reference') => ({
    'content-security-policy': pagePolicy(kind, ["form-action 'none'", "connect-src 'self'"]),
  });
  const policy = policyOf('reference');
  const attachment = {
    'content-disposition': 'attachment; filename="partner-integration-api.postman_collection.json"',
  };
  const serve = textEndpoint<Principal>(texts);
  const reference: Content = ({ pages }) => pages.get(PATHS.reference);
  return [
    serve('getOpenApi', PATHS.openApi, JSON_TEXT, ({ openApi }) => openApi),
    serve('getOpenApiYaml', PATHS.openApiYaml, 'application/yaml', ({ openApiYaml }) => openApiYaml),
    serve(
      'getLandingPage',
      '/',
      HTML,
      renderLandingPage(isLoopbackHttp(publicBaseUrl)),
      policyOf('signed-out'),
    ),
    serve('getChangelog', PATHS.changelog, HTML, renderChangelog(changelog), policy),
    serve('getChangelogMarkdown', PATHS.changelogMarkdown, MARKDOWN, changelog),
    serve('getLlmsText', PATHS.llms, 'text/plain; charset=utf-8', ({ llms }) => llms),
    serve('getDocsMarkdown', '/docs/pages/:page', MARKDOWN, ({ markdown }, page) =>
      markdown.get(page.replace(/\.md$/, '')),
    ),
    serve('getChangelogFeed', PATHS.changelogFeed, 'application/atom+xml', feed),
    serve('getPostmanCollection', PATHS.postman, JSON_TEXT, postman, attachment),
    serve('getDocs', PATHS.reference, HTML, reference, policy),
    serve('getDocsRoot', `${PATHS.reference}/`, HTML, reference, policy),
    serve('getDocsSearch', PATHS.search, JSON_TEXT, ({ search }) => search),
    // The last one: the paths before it are not pages of the reference.
    serve(
      'getDocsPage',
      `${PATHS.reference}/:page`,
      HTML,
      ({ pages }, page) => pages.get(`${PATHS.reference}/${page}`),
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

/** A text, or one of the texts of today for the parameter `page` of the path. */
type Content = string | ((texts: ReferenceTexts, page: string) => string | undefined);

/** Returns the function that serves texts at a path; a page without a text is 404. Each text is encoded and compressed once. */
function textEndpoint<Principal>(texts: () => Promise<ReferenceTexts>) {
  return (
    id: string,
    path: string,
    contentType: string,
    content: Content,
    headers: Readonly<Record<string, string>> = {},
  ): AnyEndpoint<Principal> => {
    const made = async (text: string) =>
      publicContent(contentType, Buffer.from(text), await compressedOnce(text), headers);
    const known = new Map<string, { readonly text: string; readonly response: Promise<EndpointResponse> }>();
    const operation = { id, method: 'get', path, unauthenticated: true, conditional: true } as const;
    return serveOperation(operation, async ({ params: { page = '' }, header }) => {
      const text = typeof content === 'string' ? content : content(await texts(), page);
      if (text === undefined) {
        const shown = notFoundPage(path, header);
        if (shown !== undefined) return shown;
        throw new ServiceError('not_found', 'path: there is no such page');
      }
      const last = known.get(page);
      const response = last?.text === text ? last.response : made(text);
      known.set(page, { text, response });
      return response;
    });
  };
}

/** Returns a response that browsers cache and revalidate each time. */
export function publicContent(
  contentType: string,
  bytes: Buffer,
  compressed: NonNullable<EndpointResponse['compressed']>,
  headers: Readonly<Record<string, string>>,
): EndpointResponse {
  const etag = entityTagOf(CURRENT_API_VERSION, bytes.toString('latin1'));
  const fixed = { 'content-type': contentType, 'cache-control': 'public, no-cache', etag };
  return { status: 200, bytes, compressed, headers: { ...fixed, ...headers } };
}

/** Reads a file that the build of the web app made. */
function bundledText(name: string): string {
  return readFileSync(new URL(`../web-bundle/${name}`, import.meta.url), 'utf8');
}
