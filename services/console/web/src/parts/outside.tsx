import { type ReactNode, useEffect } from 'react';
import { signInPath } from '../paths.js';
import classes from './page.module.css';
import { Button } from './ui.js';
import icon from '../icon.svg';

/** Layout of pages without a session. */
export function OutsidePage({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes['ground']}>
      <main className="sections">
        <img src={icon} width={44} height={44} alt="" />
        {children}
      </main>
    </div>
  );
}

/** Leaves the app for the sign-in page, which returns to `path`. */
export function ToSignIn({ path }: { readonly path: string }) {
  useEffect(() => location.replace(`/console${signInPath(path)}`), [path]);
  return null;
}

/** Shown if a page cannot be loaded: its version is no longer served, or there is no connection. It then loads automatically later. */
export function FailedPage() {
  // The early script loads the page when the console responds again.
  useEffect(() => void dispatchEvent(new Event('page-failed')), []);
  return (
    <section className="stack">
      <h1>This page failed to load</h1>
      <p>There may be no connection, or a newer version of the console.</p>
      <Button variant="default" onClick={() => dispatchEvent(new Event('retry-page'))}>
        Retry
      </Button>
    </section>
  );
}
