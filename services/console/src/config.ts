import { HOST_AND_PORT, LOOPBACK_HTTP } from '@partner/kernel/process/address-patterns';
import { commonConfig, httpConfig } from '@partner/kernel/process/config';
import { keyListSetting } from '@partner/kernel/process/key-list';
import { hasSender, mailConfig, NO_SENDER } from '@partner/kernel/mail/mail';
import { isLoopback } from '@partner/kernel/process/production-settings';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import { z } from 'zod';

const CIDR = z.union([z.cidrv4(), z.cidrv6()]);

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
    WEBHOOK_BASE_URL: z
      .string()
      .regex(new RegExp(`^https://${HOST_AND_PORT}/?$`, 'u'), 'must be https://host without a path')
      .optional()
      .describe(
        'URL at which webhooks reach the console, for the test receiver of the sandbox. Without it they use `PUBLIC_BASE_URL`.',
      ),
    WEBHOOK_EGRESS_ADDRESSES: z
      .string()
      .transform((text) => text.split(',').map((range) => range.trim()))
      .refine(
        (ranges) => ranges.every((range) => CIDR.safeParse(range).success),
        'must be ranges such as 192.0.2.10/32, separated by commas',
      )
      .optional()
      .describe(
        'Addresses that webhooks come from, e.g. `192.0.2.10/32,2001:db8::/64`. They are published for the firewalls of partners and change nothing else.',
      ),
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
      const refuse = (name: keyof typeof config, message: string) =>
        context.addIssue({ code: 'custom', path: [name], message });
      const isProduction = config.PARTNER_ENVIRONMENT === 'production';
      if (config.OIDC_ISSUER !== undefined) {
        for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
          if (config[name] === undefined) refuse(name, 'is not set, but is required with OIDC_ISSUER');
        if (isProduction && isLoopbackHttp(config.OIDC_ISSUER))
          refuse(
            'OIDC_ISSUER',
            'must begin with https:// unless its host is a loopback address in the sandbox',
          );
      }
      if (isProduction && isLoopbackHttp(config.PUBLIC_BASE_URL))
        refuse('PUBLIC_BASE_URL', 'must begin with https:// when PARTNER_ENVIRONMENT is production');
    },
    { when: () => true },
  );

/**
 * Returns whether a base address is plain HTTP on this machine, the only place where a session cookie may lack
 * `Secure`.
 */
export function isLoopbackHttp(baseUrl: string): boolean {
  const url = parsedUrl(baseUrl);
  return url?.protocol === 'http:' && isLoopback(url.hostname);
}
