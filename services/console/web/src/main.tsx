import './configure-schemas.js';
import './tokens.css';
import './app.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/notifications/styles.layer.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { pageNonce } from './page-settings.js';
import { Announcer } from './notifications/notify.js';
import { resolveVariables, theme } from './theme.js';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no place for the app');
const nonce = pageNonce();
// For styles that Mantine's dialogs insert.
setNonce(nonce);
document.querySelector('.starting')?.remove();
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      // The same key as in `early/color-scheme.js`.
      colorSchemeManager={localStorageColorSchemeManager({ key: 'partner-console-color-scheme' })}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Announcer />
      <Notifications position="bottom-right" limit={4} />
      <App />
    </MantineProvider>
  </StrictMode>,
);
