import './tokens.css';
import './app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { Announcer, Toasts } from './parts/toasts.js';

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no place for the app');
// In a separate task, so that a slow device can react before.
setTimeout(() => {
  document.querySelector('.starting')?.remove();
  createRoot(root).render(
    <>
      <Announcer />
      <Toasts />
      <App />
    </>,
  );
});
