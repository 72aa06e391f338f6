import { HOST_AND_PORT, LOOPBACK_HTTP } from '@partner/kernel/process/address-patterns';
import { commonConfig, httpConfig } from '@partner/kernel/process/config';
import { keyListSetting } from '@partner/kernel/process/key-list';
import { hasSender, mailConfig, NO_SENDER } from '@partner/kernel/process/mail';
import { z } from 'zod';
import { isLoopbackHttp } from './loopback-http.js';

/** The console's settings. */
export const config = z
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
      .regex(
        new RegExp(`^(https://${HOST_AND_PORT}|${LOOPBACK_HTTP})/?$`, 'u'),
        'must be https://host or https://host:port without a path; it may begin with http:// if its host is a loopback address',
      )
      .describe('URL at which browsers open the console, e.g. `https://partner.example.com`.'),
    OIDC_ISSUER: z
      .string()
      .regex(
        new RegExp(`^(https://${HOST_AND_PORT}|${LOOPBACK_HTTP})(/[^?#\\s]*)?$`, 'u'),
        'must begin with https:// unless its host is a loopback address in the sandbox, and have no query',
      )
      .optional()
      .describe(
        'Issuer of an OpenID Connect provider with which people can sign in, e.g. `https://login.example.com`. A person is linked by the email address that it has verified, so it must verify addresses. Without it people sign in with passwords only.',
      ),
    OIDC_CLIENT_ID: z
      .string()
      .optional()
      .describe(
        'Id of this service at the provider, as a confidential client with the redirect URI `<PUBLIC_BASE_URL>/console/sign-in/callback`. Required with `OIDC_ISSUER`.',
      ),
    OIDC_CLIENT_SECRET: z.string().optional().meta({
      description: 'Secret of this service at the OpenID Connect provider. Required with `OIDC_ISSUER`.',
      isSecret: true,
    }),
    OIDC_PROVIDER_NAME: z
      .string()
      .max(40)
      .regex(/^\P{C}+$/u, 'must hold no control characters')
      .default('single sign-on')
      .describe('Name of the provider on the pages: "Continue with …".'),
  })
  .refine(hasSender, NO_SENDER)
  .superRefine(
    (config, context) => {
      if (config.OIDC_ISSUER === undefined) return;
      for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
        if (config[name] !== undefined) continue;
        context.addIssue({ code: 'custom', path: [name], message: 'is not set, and OIDC_ISSUER is' });
      }
      if (!isLoopbackHttp(config.OIDC_ISSUER) || config.PARTNER_ENVIRONMENT !== 'production') return;
      const message = 'must begin with https:// unless its host is a loopback address in the sandbox';
      context.addIssue({ code: 'custom', path: ['OIDC_ISSUER'], message });
    },
    { when: () => true },
  )
  .refine(
    (config) => config.PARTNER_ENVIRONMENT !== 'production' || !isLoopbackHttp(config.PUBLIC_BASE_URL),
    {
      path: ['PUBLIC_BASE_URL'],
      message: 'must begin with https:// when PARTNER_ENVIRONMENT is production',
      when: () => true,
    },
  );
