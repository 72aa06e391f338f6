import { Anchor, Code, Stack, Tabs, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { CodeBlock } from '../../parts/code.js';
import { Notice, PageHeader, Panel } from '../../parts/page.js';
import { type LanguageCode, languageNamed, LANGUAGES } from './languages.js';

/** The text of every file in `code`, by its path. */
const CODE = import.meta.glob<string>('./code/*/*', { query: '?raw', import: 'default', eager: true });

const codeIn = (file: string) => CODE[`./code/${file}`] ?? '';

/** Code that verifies deliveries, ready to copy. */
export function Page() {
  const [stored, setStored] = useLocalStorage({ key: 'partner-console-receiver-language' });
  return (
    <>
      <PageHeader
        title="Receiver code"
        description={
          <>
            Code for the server that receives your webhooks, ready to copy. What it does, and why, is in{' '}
            <Anchor href="/docs/guide#verifying-a-webhook">the guide</Anchor>.
          </>
        }
      />
      <Stack gap="lg">
        <Notice tone="info" title="During a rotation the receiver needs both secrets">
          Set the new one as <Code>WEBHOOK_SECRET_2</Code> beside <Code>WEBHOOK_SECRET_1</Code> before you
          activate it. Keep the old one for one more day. The number is the version that the console shows.
        </Notice>
        <Tabs
          value={languageNamed(stored)}
          onChange={(id) => setStored(languageNamed(id))}
          keepMounted={false}
        >
          <Tabs.List aria-label="Language" mb="md">
            {LANGUAGES.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map((language) => (
            <Tabs.Panel key={language.id} value={language.id}>
              <Language language={language} />
            </Tabs.Panel>
          ))}
        </Tabs>
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
            <Code>{packageName}</Code> verifies. This is the recommended way.
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
              The same, with the service’s own signature <Code>x-svc-signature</Code> and nothing but what{' '}
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
