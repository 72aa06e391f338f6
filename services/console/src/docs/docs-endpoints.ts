import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { compressedOnce } from '@partner/gateway-kit/content-coding';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { entityTagOf } from '@partner/gateway-kit/entity-tag';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { renderChangelog, renderChangelogFeed } from './render-changelog.js';
import { DOCS_STYLE } from './docs-style.js';
import { renderDocsPage } from './render-docs-page.js';

const PATHS = {
  style: '/docs/style.css',
  search: '/docs/search.js',
  codeBlocks: '/docs/code-blocks.js',
  icon: '/docs/icon.svg',
  openApi: '/openapi.json',
  openApiYaml: '/docs/openapi.yaml',
  reference: '/docs',
  changelog: '/docs/changelog',
  changelogFeed: '/docs/changelog.atom',
} as const;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M4 4h8v1.6H4zm0 3.2h8v1.6H4zm0 3.2h5V12H4z" fill="#fff"/></svg>\n`;

const SCRIPT = 'text/javascript; charset=utf-8';

/** The page loads everything from its own origin and contains no inline script or style. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Creates the public endpoints of the API reference: the OpenAPI document, its rendered page, and the changelog. The first request of
 * each day renders and compresses both, so that a console starts fast. Browsers cache them and revalidate each time.
 */
export function createDocsEndpoints<Principal>(options: {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
}): readonly AnyEndpoint<Principal>[] {
  const texts = textsOfToday(options);
  const changelog = readFileSync(new URL('../web-bundle/changelog.md', import.meta.url), 'utf8');
  const page = renderChangelog(changelog, PATHS);
  const urlOf = (path: string) => new URL(path, options.publicBaseUrl).href;
  const feed = renderChangelogFeed(changelog, urlOf(PATHS.changelog), urlOf(PATHS.changelogFeed));
  const [search, codeBlocks] = [scriptOf('search'), scriptOf('code-blocks')];
  return [
    textEndpoint('getOpenApi', PATHS.openApi, 'application/json; charset=utf-8', () => texts().openApi),
    textEndpoint('getOpenApiYaml', PATHS.openApiYaml, 'application/yaml', () => texts().openApiYaml),
    textEndpoint('getChangelog', PATHS.changelog, 'text/html; charset=utf-8', () => page, {
      'content-security-policy': PAGE_POLICY,
    }),
    textEndpoint('getChangelogFeed', PATHS.changelogFeed, 'application/atom+xml', () => feed),
    textEndpoint('getDocs', PATHS.reference, 'text/html; charset=utf-8', () => texts().page, {
      'content-security-policy': PAGE_POLICY,
    }),
    textEndpoint('getDocsStyle', PATHS.style, 'text/css; charset=utf-8', () => DOCS_STYLE),
    textEndpoint('getDocsSearch', PATHS.search, SCRIPT, () => search),
    textEndpoint('getDocsCodeBlocks', PATHS.codeBlocks, SCRIPT, () => codeBlocks),
    textEndpoint('getDocsIcon', PATHS.icon, 'image/svg+xml', () => ICON),
  ];
}

interface TextsOfDay {
  readonly day: string;
  readonly openApi: string;
  readonly openApiYaml: string;
  readonly page: string;
}

/**
 * Returns the document and its page, rendered again on the first request of each day: some examples need a recent date.
 */
function textsOfToday(options: {
  readonly publicBaseUrl: string;
  readonly sessionCookie: string;
}): () => TextsOfDay {
  let made: TextsOfDay | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (made?.day !== day) {
      const document = createOpenApiDocument({
        serverUrl: options.publicBaseUrl.replace(/\/$/, ''),
        sessionCookie: options.sessionCookie,
        today: day,
      });
      const openApi = JSON.stringify(document);
      made = {
        day,
        openApi,
        openApiYaml: stringify(JSON.parse(openApi), { aliasDuplicateObjects: false }),
        page: renderDocsPage(readApiDescription(JSON.parse(openApi)), PATHS),
      };
    }
    return made;
  };
}

function textEndpoint<Principal>(
  id: string,
  path: string,
  contentType: string,
  read: () => string,
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
  let response: ReturnType<typeof made> | undefined;
  return serveOperation({ id, method: 'get', path, unauthenticated: true, conditional: true }, async () => {
    const text = read();
    if (response?.text !== text) response = made(text);
    return response;
  });
}

function scriptOf(name: string): string {
  return readFileSync(new URL(`../docs-page/${name}.js`, import.meta.url), 'utf8');
}
