import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readWebBundle } from './web-bundle.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'web-bundle-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a missing build is reported with the command that fixes it', () => {
  expect(() => readWebBundle(directory)).toThrow(
    /the web app is not built: .*index\.html is missing; run 'npm run build'/,
  );
});

test('holds the page and its files, each in the available codings, and no other files', () => {
  mkdirSync(path.join(directory, 'assets'));
  const files = {
    'index.html': '<!doctype html>',
    'inputs.sha256': 'digest',
    'assets/app-1.js': 'js',
    'assets/app-1.js.br': 'br',
    'assets/app-1.js.gz': 'gz',
    'assets/style-1.css': 'css',
    'assets/notes.txt': 'text',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  const bundle = readWebBundle(directory);

  expect(bundle.page).toBe('<!doctype html>');
  expect([...bundle.assets.keys()].sort()).toEqual(['app-1.js', 'style-1.css']);
  const script = bundle.assets.get('app-1.js');
  expect(script?.contentType).toBe('text/javascript; charset=utf-8');
  expect(
    [...(script?.compressed ?? [])].map(([coding, bytes]) => `${coding} ${Buffer.from(bytes).toString()}`),
  ).toEqual(['br br', 'gzip gz']);
  expect(bundle.assets.get('style-1.css')?.compressed.size).toBe(0);
});
