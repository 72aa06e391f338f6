import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { publicContent } from './docs-endpoints.js';
import { html } from './html.js';
import { pagePolicy, PATHS, renderPage } from './render-page.js';

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

const TYPES: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/**
 * Creates the public endpoints of the packed clients for partners: a page with the commands that install them, `index.json` with their
 * URLs and checksums, and the files. Only files that the build has made are served, by their exact names.
 */
export function createClientEndpoints<Principal>(publicBaseUrl: string): readonly AnyEndpoint<Principal>[] {
  const folder = fileURLToPath(new URL('../web-bundle/clients/', import.meta.url));
  const files = new Map<string, Buffer>(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]),
  );
  const { clients } = clientIndex.parse(JSON.parse(String(files.get('index.json'))));
  const listed = clients.map((client) => ({
    ...client,
    url: new URL(`${PATHS.clients}/${client.file}`, publicBaseUrl).href,
  }));
  files.set('index.json', Buffer.from(`${JSON.stringify({ clients: listed }, null, 2)}\n`));
  files.set('index.html', Buffer.from(renderClientsPage(listed)));
  const served = new Map(
    [...files].map(([name, bytes]) => {
      const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
      // The packages are compressed already, and the bytes have a checksum.
      return [
        name,
        publicContent(type, bytes, new Map(), {
          'content-security-policy': pagePolicy('reference', ["form-action 'none'"]),
        }),
      ];
    }),
  );
  return [
    ['getClients', PATHS.clients],
    ['getClientsRoot', `${PATHS.clients}/`],
    ['getClientFile', `${PATHS.clients}/:file`],
  ].map(([id = '', place = '']) => {
    const operation = { id, method: 'get', path: place, unauthenticated: true, conditional: true } as const;
    return serveOperation(operation, async ({ params: { file = 'index.html' } }) => {
      const found = served.get(file);
      if (found !== undefined) return found;
      const message = `path: there is no such file; ${PATHS.clients}/index.json lists those of this release`;
      throw new ServiceError('not_found', message);
    });
  });
}

function renderClientsPage(clients: readonly (PackedClient & { readonly url: string })[]): string {
  return renderPage({
    title: 'Clients',
    body: html`<main>
      <h1>Clients</h1>
      <p>
        Install a client from this address. Its package is in no public registry: a package of the same name
        there is not ours.
      </p>
      ${clients.map(
        (client) =>
          html`<h2>${client.language}</h2>
            <pre><code>${client.language === 'Python' ? 'pip' : 'npm'} install ${client.url}</code></pre>
            <p>
              <a href="${PATHS.clients}/${client.language.toLowerCase()}.md">Examples</a> to run.
              <a href="${PATHS.clients}/${client.file}">${client.file}</a>, ${client.bytes} bytes, SHA-256:
            </p>
            <pre><code>${client.sha256}</code></pre>`,
      )}
      <p>
        This address has the clients of its release only. Keep the file, for example in your own registry, if
        you build without access to it or pin a version. The checksums are in
        <a href="${PATHS.clients}/index.json">index.json</a>.
        <a href="${PATHS.clients}/clients.md">Clients</a> describes what both do.
      </p>
    </main>`,
  });
}
