import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { entityTagOf, namesEntityTag } from '@partner/gateway-kit/http/entity-tag';
import { ServiceError } from '@partner/kernel/process/service-error';
import { CURRENT_API_VERSION } from '@partner/proto-contracts/api/versions';
import { z } from 'zod';
import { html } from './html.js';
import { renderPage, STYLE_SOURCE } from './render-page.js';

/** What the build writes about the packed clients. */
export const clientIndex = z.object({
  clients: z.array(
    z.object({
      language: z.enum(['TypeScript', 'Python']),
      file: z.string(),
      bytes: z.int(),
      sha256: z.string(),
      integrity: z.string(),
    }),
  ),
});

type PackedClient = z.infer<typeof clientIndex>['clients'][number];

/** Where the packed clients are. */
const CLIENTS_PATH = '/clients';

const TYPES: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

const PAGE_POLICY = `default-src 'none'; style-src ${STYLE_SOURCE}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * Creates the public endpoints of the packed clients for partners: a page with the commands that install them, `index.json` with their
 * URLs and checksums, and the files. Only files that the build has made are served, by their exact names.
 */
export function createClientEndpoints<Principal>(options: {
  readonly publicBaseUrl: string;
  readonly icon: string;
}): readonly AnyEndpoint<Principal>[] {
  const folder = fileURLToPath(new URL('../web-bundle/clients/', import.meta.url));
  const files = new Map<string, Buffer>(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]),
  );
  const { clients } = clientIndex.parse(JSON.parse(String(files.get('index.json'))));
  const urlOf = (file: string) => new URL(`${CLIENTS_PATH}/${file}`, options.publicBaseUrl).href;
  const listed = clients.map((client) => ({ ...client, url: urlOf(client.file) }));
  files.set('index.json', Buffer.from(`${JSON.stringify({ clients: listed }, null, 2)}\n`));
  files.set('index.html', Buffer.from(renderClientsPage(clients, options.icon, urlOf)));
  const served = new Map([...files].map(([name, bytes]) => [name, servedFile(name, bytes)]));
  return [
    filesEndpoint('getClients', CLIENTS_PATH, served),
    filesEndpoint('getClientsRoot', `${CLIENTS_PATH}/`, served),
    filesEndpoint('getClientFile', `${CLIENTS_PATH}/:file`, served),
  ];
}

interface ServedFile {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

function servedFile(name: string, bytes: Buffer): ServedFile {
  const etag = entityTagOf(CURRENT_API_VERSION, bytes.toString('latin1'));
  const headers = {
    'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream',
    // A release can bring other bytes under the same name, in development at least.
    'cache-control': 'public, no-cache',
    'content-security-policy': PAGE_POLICY,
    etag,
  };
  return { bytes, etag, headers };
}

function filesEndpoint<Principal>(
  id: string,
  place: string,
  files: ReadonlyMap<string, ServedFile>,
): AnyEndpoint<Principal> {
  const operation = { id, method: 'get', path: place, unauthenticated: true } as const;
  return serveOperation(operation, async ({ params: { file = 'index.html' }, header }) => {
    const found = files.get(file);
    if (found === undefined) {
      const message = `path: there is no such file; ${CLIENTS_PATH}/index.json lists those of this release`;
      throw new ServiceError('not_found', message);
    }
    const { bytes, etag, headers } = found;
    return namesEntityTag(header('if-none-match') ?? '', etag)
      ? { status: 304, headers }
      : // The packages are compressed already, and the bytes have a checksum.
        { status: 200, bytes, compressed: new Map(), headers };
  });
}

function renderClientsPage(
  clients: readonly PackedClient[],
  icon: string,
  urlOf: (file: string) => string,
): string {
  const command = ({ language, file }: PackedClient) =>
    language === 'Python' ? `pip install ${urlOf(file)}` : `npm install ${urlOf(file)}`;
  return renderPage({
    title: 'Clients',
    icon,
    body: html`<main>
      <h1>Clients</h1>
      <p>
        Install a client from this address. Its package is in no public registry: a package of the same name
        there is not ours.
      </p>
      ${clients.map(
        (client) =>
          html`<h2>${client.language}</h2>
            <pre><code>${command(client)}</code></pre>
            <p>
              <a href="${CLIENTS_PATH}/${client.file}">${client.file}</a>, ${client.bytes} bytes, SHA-256:
            </p>
            <pre><code>${client.sha256}</code></pre>`,
      )}
      <p>
        This address has the clients of its release only. Keep the file, for example in your own registry, if
        you build without access to it or pin a version. The checksums are in
        <a href="${CLIENTS_PATH}/index.json">index.json</a>.
        <a href="${CLIENTS_PATH}/clients.md">Clients</a> describes what both do.
      </p>
    </main>`,
  });
}
