import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/** Adds a Brotli and a gzip version of each file in the folder, if it is smaller. */
export function compressAssets(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => COMPRESSIBLE.test(file))) {
    const file = path.join(folder, name);
    const plain = readFileSync(file);
    const brotli = brotliCompressSync(plain, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    });
    const gzip = gzipSync(plain, { level: 9 });
    if (brotli.length < plain.length) writeFileSync(`${file}.br`, brotli);
    if (gzip.length < plain.length) writeFileSync(`${file}.gz`, gzip);
  }
}
