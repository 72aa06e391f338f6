import type { EndpointResponse } from '@partner/gateway-kit/http/endpoint';
import { PASSWORD_LENGTH, PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { type Html, html, NOTHING } from './html.js';
import { pagePolicy, PATHS, renderPage } from './render-page.js';
import { bundledPath } from '../bundle/bundled-files.js';

const SIGN_IN = '/console/sign-in';
const FORGOT_PASSWORD = '/console/forgot-password';

/** Renders a page for people without a session. Its script runs what the form's `data-act` names; `action` is for browsers without scripts. */
function renderOutside(page: {
  readonly title: string;
  readonly description: Html | string;
  readonly content: Html;
  readonly early?: readonly string[];
  /** Whether a browser without scripts sends the form. Without a referrer it would send it without its origin, too. */
  readonly isSent?: boolean;
}): string {
  return renderPage({
    kind: 'signed-out',
    title: `${page.title} · Partner console`,
    head: html`<meta name="robots" content="noindex" />
      ${page.isSent === true ? html`<meta name="referrer" content="same-origin" />` : NOTHING}`,
    early: ['color-scheme', 'load-again', ...(page.early ?? [])],
    body: html`<main>
        <img class="logo" src="${bundledPath('icon.svg')}" width="32" height="32" alt="" />
        <h1>${page.title}</h1>
        <p class="muted" id="owner">${page.description}</p>
        ${page.content}
      </main>
      <footer><a href="/">About this service</a> <a href="${PATHS.reference}">API reference</a></footer>`,
  });
}

const failureOf = (failure = '') =>
  html`<div role="alert">${failure === '' ? NOTHING : html`<p>${failure}</p>`}</div>`;
const submit = (label: string) => html`<button class="button primary" type="submit">${label}</button>`;
const NEEDS_SCRIPT = html`<noscript><p class="notice">This page needs JavaScript.</p></noscript>`;

function emailField(attributes: Html): Html {
  return html`<p class="field">
    <label for="email">Email address</label>
    <input
      class="input"
      id="email"
      name="email"
      type="email"
      autocomplete="username"
      required
      ${attributes}
    />
  </p>`;
}

function passwordField(name: string, label: string, autocomplete: string, rest: Html = NOTHING): Html {
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <input
      class="input"
      id="${name}"
      name="${name}"
      type="password"
      autocomplete="${autocomplete}"
      required
    />
    <button class="show" type="button" aria-label="Show the ${label.toLowerCase()}" aria-pressed="false">
      <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M1 8c3-6 11-6 14 0-3 6-11 6-14 0Z" />
        <circle cx="8" cy="8" r="2.2" />
      </svg>
    </button>
    ${rest}
  </p>`;
}

/** Asks for a code of the second factor. */
const codeStep = (isShown: boolean, back: Html) =>
  html`<fieldset id="code-step" ${isShown ? NOTHING : html`hidden disabled`}>
    <p class="field">
      <label for="code">Code</label>
      <input
        class="input"
        id="code"
        name="code"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck="false"
        minlength="6"
        maxlength="40"
        required
        aria-describedby="code-note"
      />
      <span class="muted" id="code-note">The 6 digits of your authenticator app, or a recovery code</span>
      ${back}
    </p>
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
    isSent: true,
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
          : html`<p class="or">or</p>
              <button class="button" type="button" id="provider">Continue with ${page.providerName}</button>`
      }`,
  });
}

/** `sent`: why the link was not requested; empty if it was. */
export function renderForgotPassword(sent?: string): string {
  const isSent = sent === '';
  return renderOutside({
    title: 'Forgot your password?',
    isSent: true,
    description: 'We email you a link with which you set a new one.',
    content: html`<div class="notice" id="done" role="status" ${isSent ? NOTHING : html`hidden`}>
        <b>Check your email</b>
        <p>
          If there is an account with this address, a link is on its way. It works once, within
          ${PASSWORD_LINKS.minutes} minutes.
        </p>
      </div>
      <form
        method="post"
        action="${FORGOT_PASSWORD}"
        data-act="requestLink"
        ${isSent ? html`hidden` : NOTHING}
      >
        ${emailField(html`autofocus`)} ${failureOf(sent)} ${submit('Send link')}
      </form>
      <p class="notice"><a href="${SIGN_IN}">Back to sign-in</a></p>`,
  });
}

/** The page of a mailed link. It ends signed in; without a password that works once, it says how to go on. */
export function renderSetPassword(sendsMail: boolean): string {
  return renderOutside({
    title: 'Set your password',
    description: 'for the partner console',
    early: ['link-secrets'],
    content: html`${NEEDS_SCRIPT}
      <form data-act="setPassword">
        <fieldset id="credentials">
          ${emailField(html`readonly`)} ${passwordField('newPassword', 'New password', 'new-password')}
          <p class="muted field">At least ${PASSWORD_LENGTH.min} characters. All your sessions end.</p>
        </fieldset>
        ${codeStep(false, NOTHING)} ${failureOf()} ${submit('Set password')}
      </form>
      <p class="notice" id="again" hidden>
        <a href="${sendsMail ? FORGOT_PASSWORD : SIGN_IN}"
          >${sendsMail ? 'Request a new link' : 'Back to sign-in'}</a
        >
      </p>`,
  });
}

/** The page of a mailed confirmation link. It needs a click, because mail scanners open links. */
export function renderConfirmContact(): string {
  return renderOutside({
    title: 'Confirm the technical contact',
    description:
      'After you confirm this address, it receives announcements of new versions and changes of the partner API.',
    early: ['link-secrets'],
    content: html`${NEEDS_SCRIPT}
      <div class="notice" id="done" role="status" hidden>
        <b>Address confirmed</b>
        <p>You can close this page.</p>
      </div>
      <form data-act="confirmContact">${failureOf()} ${submit('Confirm address')}</form>`,
  });
}

/** The page to which the identity provider returns. */
export function renderProviderResponse(providerName: string): string {
  return renderOutside({
    title: `Sign in with ${providerName}`,
    description: 'to the partner console',
    early: ['link-secrets'],
    content: html`${NEEDS_SCRIPT}
      <div class="notice" id="done" role="status" hidden>
        <b>Session confirmed</b>
        <p>You can close this tab.</p>
      </div>
      <div class="notice">${failureOf()}</div>
      <form data-act="completeSignIn" hidden>${codeStep(false, NOTHING)} ${submit('Sign in')}</form>
      <p class="notice"><a id="back" href="${SIGN_IN}">Back to sign-in</a></p>`,
  });
}

/** The page at the root of the public address. On a local stack it also says how to see the logins and the demo. */
export function renderLandingPage(isLocal: boolean): string {
  const doors = [
    [PATHS.console, 'Console', 'Webhooks, deliveries, API keys and people of your company'],
    [PATHS.reference, 'API reference', 'Every request, response and event, with examples'],
    [PATHS.receiverCode, 'Receiver code', 'A server that checks signatures, in four languages'],
    [PATHS.changelog, 'Changelog', 'What changed, newest first'],
  ] as const;
  return renderPage({
    kind: 'signed-out',
    title: 'Partner integration service',
    body: html`<main class="wide">
      <img class="logo" src="${bundledPath('icon.svg')}" width="32" height="32" alt="" />
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
          ? html`<p class="notice muted">
              <code>scripts/up --status</code> prints the logins. <code>scripts/up --demo</code> plays the
              main job, from a lead to a verified webhook.
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
      <img class="logo" src="${bundledPath('icon.svg')}" width="32" height="32" alt="" />
      <h1>This page doesn’t exist</h1>
      <p class="notice"><a href="/">Start page</a> · <a href="${PATHS.reference}">API reference</a></p>
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
