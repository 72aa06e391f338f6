import { useState } from 'react';
import { CodeBlock } from '../../parts/code.js';
import { Notice, PageHeader, Panel } from '../../parts/page.js';
import { Tabs } from '../../parts/overlays.js';
import { type LanguageCode, languageNamed, LANGUAGES } from './languages.js';

/** The text of every file in `code`, by its path. */
const CODE = import.meta.glob<string>('./code/*/*', { query: '?raw', import: 'default', eager: true });

const codeIn = (file: string) => CODE[`./code/${file}`] ?? '';

const LANGUAGE_KEY = 'partner-console-receiver-language';

/** Code that verifies deliveries, ready to copy. */
export function Page() {
  const [language, setLanguage] = useState(() =>
    languageNamed(window.localStorage.getItem(LANGUAGE_KEY) ?? undefined),
  );
  const choose = (id: string) => {
    setLanguage(languageNamed(id));
    window.localStorage.setItem(LANGUAGE_KEY, id);
  };
  return (
    <>
      <PageHeader
        title="Receiver code"
        description={
          <>
            Code for the server that receives your webhooks, ready to copy. What it does, and why, is in{' '}
            <a href="/docs/guide#verifying-a-webhook">the guide</a>.
          </>
        }
      />
      <Notice tone="info" title="During a rotation the receiver needs both secrets">
        Set the new one as <code>WEBHOOK_SECRET_2</code> beside <code>WEBHOOK_SECRET_1</code> before you
        activate it. Keep the old one for one more day. The number is the version that the console shows.
      </Notice>
      <Tabs
        label="Language"
        value={language}
        onChange={choose}
        tabs={Object.fromEntries(
          LANGUAGES.map((each) => [each.id, [each.name, <Language language={each} />] as const]),
        )}
      />
    </>
  );
}

function Language({ language }: { readonly language: LanguageCode }) {
  const { name, packageName, install, installInto, library, byHand, publicKeys } = language;
  const { server, note, untested } = language;
  return (
    <div className="sections">
      <Panel title={`${name} with a library`}>
        <p className="small">
          Every delivery carries the signature of Standard Webhooks, which the package{' '}
          <code>{packageName}</code> verifies. This is the recommended way.
        </p>
        {untested === true && (
          <Notice tone="warn">Not tested: our automated tests don’t run this code.</Notice>
        )}
        {note !== undefined && <Notice tone="info">{note}</Notice>}
        <CodeBlock
          label={installInto === undefined ? 'Install command' : `Dependency in ${installInto}`}
          code={install}
        />
        <CodeBlock label="Receiver with the library" code={codeIn(library)} />
      </Panel>
      {byHand !== undefined && (
        <Panel title={`${name} without a library`}>
          <p className="small">
            The same with the service’s own signature, <code>x-svc-signature</code>, and only what {name}{' '}
            includes. Use it instead of the one above.
          </p>
          <CodeBlock label="Receiver by hand" code={codeIn(byHand)} />
        </Panel>
      )}
      <Panel title={`${name} without a secret`}>
        <p className="small">
          With the signature “Also sign with a private key” in the settings of a webhook, its public keys
          verify the deliveries.
          {publicKeys === undefined && (
            <>
              {' '}
              Here is no code for {name}: <a href="/docs/guide#verifying-a-webhook">the guide</a> says what to
              verify.
            </>
          )}
        </p>
        {publicKeys !== undefined && (
          <CodeBlock label="Receiver with public keys" code={codeIn(publicKeys)} />
        )}
      </Panel>
      {server !== undefined && (
        <Panel title={`${name} web server`}>
          <p className="small">Serves any of these receivers over HTTP. Storing events is up to you.</p>
          <CodeBlock label="Web server" code={codeIn(server)} />
        </Panel>
      )}
    </div>
  );
}
