import type { EndpointResponse } from '@partner/gateway-kit/http/endpoint';
import { PASSWORD_LENGTH, PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { type Html, html, NOTHING } from './html.js';
import { pagePolicy, PATHS, renderPage } from './render-page.js';
import { bundledPath } from '../bundle/bundled-files.js';

const SIGN_IN = '/console/sign-in';
const FORGOT_PASSWORD = '/console/forgot-password';

/** Renders a page of a person without a session. Its script does what the form's `data-act` names. */
function renderOutside(page: {
  readonly title: string;
  readonly description: Html | string;
  readonly content: Html;
  /** `sent`: a browser without scripts sends the form. Without a referrer it would send it without its origin, too. */
  readonly withoutScript: 'sent' | 'useless';
}): string {
  const isSent = page.withoutScript === 'sent';
  return renderPage({
    kind: 'signed-out',
    title: `${page.title} · Partner console`,
    head: html`<meta name="robots" content="noindex" />
      ${isSent ? html`<meta name="referrer" content="same-origin" />` : NOTHING}`,
    early: ['color-scheme', 'load-again', ...(isSent ? [] : ['link-secrets'])],
    body: html`<main>
        ${logo()}
        <h1>${page.title}</h1>
        <p class="muted" id="owner">${page.description}</p>
        ${isSent ? NOTHING : html`<noscript><p>This page needs JavaScript.</p></noscript>`} ${page.content}
      </main>
      <footer><a href="/">About this service</a> <a href="${PATHS.reference}">API reference</a></footer>`,
  });
}

const logo = () => html`<img class="logo" src="${bundledPath('icon.svg')}" width="32" height="32" alt="" />`;

const failureOf = (failure = '') =>
  html`<div role="alert">${failure === '' ? NOTHING : html`<p>${failure}</p>`}</div>`;

const submit = (label: string) => html`<button class="button primary" type="submit">${label}</button>`;

/** What the page says once its form is done. */
const doneNotice = (title: string, text: string, isShown = false) =>
  html`<div id="done" role="status" ${isShown ? NOTHING : html`hidden`}>
    <b>${title}</b>
    <p>${text}</p>
  </div>`;

const field = (name: string, label: string, attributes: Html, rest: Html = NOTHING) =>
  html`<p class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" required ${attributes} />
    ${rest}
  </p>`;

const emailField = (attributes: Html) =>
  field('email', 'Email address', html`type="email" autocomplete="username" ${attributes}`);

const passwordField = (name: string, label: string, autocomplete: string, rest: Html) =>
  field(
    name,
    label,
    html`type="password" autocomplete="${autocomplete}"`,
    html`<button class="show" type="button" aria-label="Show the ${label.toLowerCase()}" aria-pressed="false">
        <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
          <path d="M1 8c3-6 11-6 14 0-3 6-11 6-14 0Z" />
          <circle cx="8" cy="8" r="2.2" />
        </svg>
      </button>
      ${rest}`,
  );

/** Asks for a code of the second factor. Its fields are hidden while they are disabled. */
const codeStep = (isAsked: boolean, back: Html) =>
  html`<fieldset id="code-step" ${isAsked ? NOTHING : html`disabled`}>
    ${field(
      'code',
      'Code',
      html`autocomplete="one-time-code" autocapitalize="none" spellcheck="false" minlength="6" maxlength="40"
      aria-describedby="code-note"`,
      html`<span class="muted" id="code-note"
          >The 6 digits from your authenticator app, or a recovery code</span
        >
        ${back}`,
    )}
  </fieldset>`;

interface SignInPage {
  /** The page of the console that follows. */
  readonly next: string;
  readonly environment: string;
  readonly providerName: string | undefined;
  readonly sendsMail: boolean;
  readonly hasEnded?: boolean;
  /** Of a form that a browser without scripts has sent. */
  readonly sent?: { readonly email: string; readonly failure: string; readonly needsCode: boolean };
}

export function renderSignIn(page: SignInPage): string {
  const { next, sent } = page;
  const address = `${SIGN_IN}?next=${encodeURIComponent(next)}`;
  const forgot = page.sendsMail ? html`<a href="${FORGOT_PASSWORD}">Forgot your password?</a>` : NOTHING;
  return renderOutside({
    title: 'Sign in',
    withoutScript: 'sent',
    description:
      page.hasEnded === true
        ? html`<b>Your session ended.</b> Sign in to return to your page.`
        : `to the partner console, ${page.environment}`,
    content: html`<form method="post" action="${address}" data-act="signIn" data-next="${next}">
        <fieldset id="credentials">
          ${emailField(html`value="${sent?.email ?? ''}" autofocus`)}
          ${passwordField('password', 'Password', 'current-password', forgot)}
        </fieldset>
        ${codeStep(sent?.needsCode === true, html`<a href="${address}">Back</a>`)} ${failureOf(sent?.failure)}
        ${submit('Sign in')}
      </form>
      ${
        page.providerName === undefined
          ? NOTHING
          : html`<p class="or"><small>or</small></p>
              <button class="button" type="button" id="provider">Continue with ${page.providerName}</button>`
      }`,
  });
}

/** `sent`: why the link was not requested; empty if it was. */
export function renderForgotPassword(sent?: string): string {
  const isSent = sent === '';
  return renderOutside({
    title: 'Forgot your password?',
    withoutScript: 'sent',
    description: 'We’ll email you a link to set a new one.',
    content: html`${doneNotice(
        'Check your email',
        `If there is an account with this address, a link is on its way. The link works once, within ${PASSWORD_LINKS.minutes} minutes.`,
        isSent,
      )}
      <form
        method="post"
        action="${FORGOT_PASSWORD}"
        data-act="requestLink"
        ${isSent ? html`hidden` : NOTHING}
      >
        ${emailField(html`autofocus`)} ${failureOf(sent)} ${submit('Send link')}
      </form>
      <p><a href="${SIGN_IN}">Back to sign-in</a></p>`,
  });
}

/** The page of a mailed link. It ends signed in; without a password that works once, it says how to go on. */
export function renderSetPassword(sendsMail: boolean): string {
  return renderOutside({
    title: 'Set your password',
    withoutScript: 'useless',
    description: 'for the partner console',
    content: html`<form data-act="setPassword">
        <fieldset id="credentials">
          ${emailField(html`readonly`)}
          ${passwordField(
            'newPassword',
            'New password',
            'new-password',
            html`<span class="muted">
              At least ${PASSWORD_LENGTH.min} characters. All your sessions end.
            </span>`,
          )}
        </fieldset>
        ${codeStep(false, NOTHING)} ${failureOf()} ${submit('Set password')}
      </form>
      <p id="again" hidden>
        <a href="${sendsMail ? FORGOT_PASSWORD : SIGN_IN}">
          ${sendsMail ? 'Request a new link' : 'Back to sign-in'}
        </a>
      </p>`,
  });
}

/** The page of a mailed confirmation link. It needs a click, because mail scanners open links. */
export function renderConfirmContact(): string {
  return renderOutside({
    title: 'Confirm the technical contact',
    withoutScript: 'useless',
    description:
      'After you confirm this address, it receives announcements of new versions and changes of the partner API.',
    content: html`${doneNotice('Address confirmed', 'You can close this page.')}
      <form data-act="confirmContact">${failureOf()} ${submit('Confirm address')}</form>`,
  });
}

/** The page to which the identity provider returns. */
export function renderProviderResponse(providerName: string): string {
  return renderOutside({
    title: `Sign in with ${providerName}`,
    withoutScript: 'useless',
    description: 'to the partner console',
    content: html`${doneNotice('Session confirmed', 'You can close this tab.')} ${failureOf()}
      <form data-act="completeSignIn" hidden>${codeStep(false, NOTHING)} ${submit('Sign in')}</form>
      <p><a id="back" href="${SIGN_IN}">Back to sign-in</a></p>`,
  });
}

/** The page at the root of the public address. On a local stack it also says how to see the logins and the demo. */
export function renderLandingPage(isLocal: boolean): string {
  const doors = [
    [PATHS.console, 'Console', 'Webhooks, deliveries, API keys and people of your company'],
    [PATHS.reference, 'API reference', 'Every request, response and event, with examples'],
    [PATHS.clients, 'Clients', 'Packages for TypeScript and Python, with examples'],
    [PATHS.receiverCode, 'Receiver code', 'A server that verifies signatures, in seven languages'],
    [PATHS.changelog, 'Changelog', 'What changed, newest first'],
  ] as const;
  return renderPage({
    kind: 'signed-out',
    title: 'Partner integration service',
    body: html`<main class="landing">
      ${logo()}
      <h1>Partner integration service</h1>
      <p class="muted">Jobs, schedules and their changes, between your systems and ours.</p>
      <p class="actions">
        <a class="button primary" href="${SIGN_IN}">Sign in to the console</a>
        <a class="button" href="${PATHS.reference}">Read the API reference</a>
      </p>
      <nav aria-label="Pages">
        ${doors.map(([to, name, text]) => html`<a href="${to}"><b>${name}</b> <span class="muted">${text}</span></a>`)}
      </nav>
      ${
        isLocal
          ? html`<p class="muted">
              <code>scripts/up --status</code> prints the logins. <code>scripts/up --demo</code> plays the
              main scenario, from a lead to a verified webhook.
            </p>`
          : NOTHING
      }
    </main>`,
  });
}

/** The page of an address that leads nowhere, for browsers; undefined for clients of an API. */
export function notFoundPage(path: string, header: (name: string) => string | undefined) {
  if (path.startsWith('/partner-api/') || !/^text\/html\b/.test(header('accept') ?? '')) return undefined;
  const text = renderPage({
    kind: 'signed-out',
    title: 'Page not found',
    body: html`<main>
      ${logo()}
      <h1>This page doesn’t exist</h1>
      <p><a href="/">Start page</a> · <a href="${PATHS.reference}">API reference</a></p>
    </main>`,
  });
  return signedOutPage(text, 404);
}

/** Returns the response that shows a page for people without a session. */
export function signedOutPage(text: string, status = 200): EndpointResponse {
  return {
    status,
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy('signed-out', ["connect-src 'self'", "form-action 'self'"]),
    },
  };
}
