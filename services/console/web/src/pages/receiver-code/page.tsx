import { useState } from 'react';
import { CodeBlock } from '../../parts/code.js';
import { Notice, PageHeader, Panel } from '../../parts/page.js';
import { Tabs } from '../../parts/overlays.js';
import { Stack, Text } from '../../parts/ui.js';
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
      <Stack gap="lg">
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
      </Stack>
    </>
  );
}

function Language({ language }: { readonly language: LanguageCode }) {
  const { name, packageName, install, installInto, library, byHand, server, note, untested } = language;
  return (
    <Stack gap="lg">
      <Panel title={`${name} with a library`}>
        <Stack gap="sm">
          <Text size="sm">
            Every delivery carries the signature of Standard Webhooks, which the package{' '}
            <code>{packageName}</code> verifies. This is the recommended way.
          </Text>
          {untested === true && (
            <Notice tone="warn">Not tested: our automated tests don’t run this code.</Notice>
          )}
          {note !== undefined && <Notice tone="info">{note}</Notice>}
          <CodeBlock
            label={installInto === undefined ? 'Command to install it' : `Dependency in ${installInto}`}
            code={install}
          />
          <CodeBlock label="Receiver with the library" code={codeIn(library)} maxHeight="48rem" />
        </Stack>
      </Panel>
      {byHand !== undefined && (
        <Panel title={`${name} without a library`}>
          <Stack gap="sm">
            <Text size="sm">
              The same, with the service’s own signature <code>x-svc-signature</code> and nothing but what{' '}
              {name} has. It replaces the one above.
            </Text>
            <CodeBlock label="Receiver by hand" code={codeIn(byHand)} maxHeight="48rem" />
          </Stack>
        </Panel>
      )}
      {server !== undefined && (
        <Panel title={`${name} web server`}>
          <Stack gap="sm">
            <Text size="sm">Serves either of them over HTTP. Storing events is up to you.</Text>
            <CodeBlock label="Web server" code={codeIn(server)} maxHeight="48rem" />
          </Stack>
        </Panel>
      )}
    </Stack>
  );
}
