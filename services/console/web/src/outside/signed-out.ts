import './signed-out.css';
import { type SentError, sentenceOfError, textForDetails } from '@partner/console/shared/error-sentences';

/*
 * Sends the form of a page that needs no session, without loading the page again. Where the form needs no secret of the address, a
 * browser without scripts sends it itself.
 */

/** Where the tab remembers the page that a sign-in should open: a refusal of the provider does not name it. */
const WANTED_PAGE = 'partner-console-wanted-page';

/** A part of the page, or one that no one sees where the page has none. */
const find = (selector: string) =>
  document.querySelector<HTMLElement>(selector) ?? document.createElement('div');
const form = document.querySelector('form') ?? document.createElement('form');
const submit = find('[type="submit"]');
const next = form.dataset['next'] ?? '/';
/** What was entered, also in an earlier step. */
const entered: Record<string, FormDataEntryValue> = {};
/** `early/link-secrets.js` has moved both out of the address bar. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- written by that script alone
const state: { readonly usr?: { readonly linkToken?: string; readonly providerResponse?: string } } | null =
  history.state;
const { linkToken: token = '', providerResponse: query = '' } = state?.usr ?? {};
let isPasswordSet = false;

class Refusal extends Error {
  readonly sent: SentError;
  constructor(operation: string, sent: SentError, retryAfter: string | null) {
    super(sentenceOfError(operation, sent, retryAfter));
    this.sent = sent;
  }
}

/** The part of a `Response` that is used. */
interface Reply extends Pick<Response, 'ok' | 'headers'> {
  json<Json>(): Promise<Json>;
}

async function post<Json>(operation: string, path: string, body: object): Promise<Json> {
  const reply: Reply | undefined = await fetch(`/partner-api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  const read: Reply = reply?.headers.has('content-type') === true ? reply : Response.json(null);
  if (reply?.ok === true) return read.json<Json>();
  const code = reply === undefined ? 'no_response' : 'not_understood';
  const sent = await read.json<SentError | null>().catch(() => null);
  throw new Refusal(operation, sent ?? { code, error: '' }, read.headers.get('retry-after'));
}

async function signIn(): Promise<void> {
  const { email, password, code } = entered;
  await post('createSession', 'session', { email, password, ...(code !== undefined && { code }) });
  openPage(next);
}

/** What each form does, by its `data-act`. */
const ACTS: Readonly<Record<string, () => Promise<void>>> = {
  signIn,
  async requestLink() {
    await post('requestPasswordLink', 'password/links', { email: entered['email'] });
    conclude();
  },
  async setPassword() {
    const { newPassword } = entered;
    if (!isPasswordSet) await post('usePasswordLink', 'password/links/use', { token, newPassword });
    isPasswordSet = true;
    entered['password'] = newPassword ?? '';
    await signIn();
  },
  async confirmContact() {
    await post('confirmTechnicalContact', 'technical-contact/confirm', { token });
    conclude();
  },
  async completeSignIn() {
    const { code } = entered;
    const body = { query, ...(code !== undefined && { code }) };
    const path = 'session/provider/complete';
    openPage(
      (await post<{ readonly returnTo: string | null }>('completeProviderSignIn', path, body)).returnTo,
    );
  },
  async completeConfirmation() {
    await post('completeProviderConfirmation', 'session/confirm/provider/complete', { query });
    const channel = new BroadcastChannel('partner-session-confirmed');
    channel.postMessage(null);
    channel.close();
    conclude();
    window.close();
  },
};

function openPage(path: string | null): void {
  location.replace(`/console${path ?? '/'}`);
}

/** Shows what the page has for its end. */
function conclude(): void {
  find('#done').hidden = false;
  form.hidden = true;
  show(undefined);
}

async function run(work: (() => Promise<unknown>) | undefined): Promise<void> {
  if (submit.ariaDisabled === 'true') return;
  submit.ariaDisabled = 'true';
  try {
    await work?.();
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.sent.code === 'second_factor_required') askCode();
    else show(thrown);
  } finally {
    submit.ariaDisabled = null;
  }
}

/** Disabled fields are hidden. */
function askCode(): void {
  show(undefined);
  find('h1').textContent = 'Enter your code';
  form.hidden = false;
  find('#credentials').toggleAttribute('disabled', true);
  find('#code-step').toggleAttribute('disabled', false);
  submit.textContent = 'Sign in';
  find('#code').focus();
}

/** Shows why something failed, with what support needs; nothing without it. */
function show(thrown: unknown): void {
  const alert = find('[role="alert"]');
  alert.replaceChildren();
  if (thrown === undefined) return;
  const isRefusal = thrown instanceof Refusal;
  alert.append(element('p', isRefusal ? thrown.message : 'Something went wrong on this page.'));
  if (!isRefusal || thrown.sent.requestId === undefined) return;
  const { error, requestId } = thrown.sent;
  const details = element('details', element('summary', 'Details'), textForDetails(error));
  details.append(element('br'), `Request ID for support: ${requestId}`);
  alert.append(details);
}

function element(name: string, ...content: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Shows whom a link is for, before anything is entered. */
async function readLink(): Promise<void> {
  type Owner = Readonly<Record<'displayName' | 'companyName' | 'email', string>>;
  const owner = await post<Owner>('readPasswordLink', 'password/links/read', { token }).catch(
    (refused: unknown) => {
      for (const part of ['#credentials', '#again', '[type="submit"]']) find(part).toggleAttribute('hidden');
      throw refused;
    },
  );
  find('#owner').replaceChildren(`For ${owner.displayName} at ${owner.companyName}`);
  find('#email').setAttribute('value', owner.email);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  Object.assign(entered, Object.fromEntries(new FormData(form)));
  void run(ACTS[form.dataset['act'] ?? '']);
});
for (const button of document.querySelectorAll<HTMLButtonElement>('.show')) {
  button.addEventListener('click', () => {
    const isShown = button.ariaPressed === 'true';
    button.previousElementSibling?.setAttribute('type', isShown ? 'password' : 'text');
    button.ariaPressed = String(!isShown);
  });
}
find('#provider').addEventListener('click', () => {
  sessionStorage.setItem(WANTED_PAGE, next);
  void run(async () => {
    const body = { returnTo: next };
    const begun = await post<{ readonly authorizationUrl: string }>(
      'beginProviderSignIn',
      'session/provider',
      body,
    );
    location.assign(begun.authorizationUrl);
  });
});
// Another link that is opened in this tab only changes the fragment.
addEventListener('hashchange', () => location.reload());

if (form.dataset['act'] === 'setPassword') void run(readLink);
if (form.dataset['act'] === 'completeSignIn') {
  const signInPage = `/console/sign-in?next=${encodeURIComponent(sessionStorage.getItem(WANTED_PAGE) ?? '/')}`;
  find('#back').setAttribute('href', signInPage);
  // Loaded again, after the response was used: it works once.
  if (query === '') location.replace(signInPage);
  else {
    history.replaceState(null, '');
    const isConfirmation = new URLSearchParams(query).get('state')?.startsWith('confirm.') === true;
    if (isConfirmation) form.dataset['act'] = 'completeConfirmation';
    void run(ACTS[form.dataset['act']]);
  }
}
