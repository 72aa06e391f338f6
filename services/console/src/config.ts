import { commonConfig, httpConfig, urlWithProtocol } from '@partner/kernel/config';
import { hasSender, mailConfig, NO_SENDER } from '@partner/kernel/mail';
import { z } from 'zod';
import { isLoopbackHttp } from './loopback-http.js';

/** The console's settings. */
export const consoleConfig = z
  .object({
    ...commonConfig,
    ...httpConfig,
    ...mailConfig,
    // It determines the cookie's name and the `Origin` that may change state.
    PUBLIC_BASE_URL: urlWithProtocol('https:', 'http:')
      .refine(
        (url) => isHttps(url) || isLoopbackHttp(url),
        'must begin with https:// unless its host is a loopback address',
      )
      .describe('URL at which browsers open the console, e.g. `https://partner.example.com`.'),
  })
  .refine(hasSender, NO_SENDER)
  .refine(
    (config) => config.PARTNER_ENVIRONMENT !== 'production' || !isLoopbackHttp(config.PUBLIC_BASE_URL),
    {
      path: ['PUBLIC_BASE_URL'],
      message: 'must begin with https:// when PARTNER_ENVIRONMENT is production',
    },
  );

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}
