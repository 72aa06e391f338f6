import type { WebBundle } from '../bundle/web-bundle.js';

/** A web app of one page and one file, so that tests need no build. */
export const FAKE_WEB_BUNDLE: WebBundle = {
  page: '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><meta name="environment" content="{{environment}}"><meta name="partner-provider" content="{{provider}}"><meta name="partner-session" content="{{session}}"><!--signed-in <link rel="preload"> signed-in--><!--/console <link rel="preload" href="/data"> /console-->',
  assets: new Map([
    [
      'app-12345678.js',
      {
        contentType: 'text/javascript; charset=utf-8',
        bytes: Buffer.from('plain'),
        compressed: new Map([
          ['br', Buffer.from('brotli')],
          ['gzip', Buffer.from('gzip')],
        ]),
      },
    ],
  ]),
};
