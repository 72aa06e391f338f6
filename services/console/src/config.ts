import { commonConfig, httpConfig } from '@partner/kernel/config';
import { keyListSetting } from '@partner/kernel/key-list';
import { hasSender, mailConfig, NO_SENDER } from '@partner/kernel/mail';
import { z } from 'zod';
import { isLoopbackHttp } from './loopback-http.js';

/** The console's settings. */
export const consoleConfig = z
  .object({
    ...commonConfig,
    ...httpConfig,
    ...mailConfig,
    SESSION_KEYS: keyListSetting(
      'Keys that sign sessions in Redis; the first signs, all are accepted. No other service has them',
    ),
    // It determines the cookie's name and the `Origin` that may change state.
    PUBLIC_BASE_URL: z
      .string()
      .regex(/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?(\/|$)/, {
        error: 'must begin with https:// unless its host is a loopback address',
        abort: true,
      })
      .refine((url) => URL.canParse(url), 'must be a URL')
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
