import type { ComponentPropsWithoutRef } from 'react';
import { PATHS } from '../paths.js';

/** A link to a page of the app, by its path below `/console`. `followLinks` opens it without loading the document anew. */
export function Link(
  link: Omit<ComponentPropsWithoutRef<'a'>, 'href'> & {
    readonly to: string;
    /** Whether the page takes the place of the present one in the history. */
    readonly replace?: boolean;
    /** Whether the page stays where it is scrolled to. */
    readonly preventScrollReset?: boolean;
  },
) {
  const { to, replace = false, preventScrollReset = false, ...anchor } = link;
  const href = to === PATHS.overview ? '/console' : `/console${to}`;
  return <a href={href} {...anchor} data-to={to} data-replace={replace} data-keep={preventScrollReset} />;
}

/** Opens the links of the app with `navigate`, unless a key or the link asks for another window. One listener serves all of them. */
export function followLinks(
  navigate: (
    to: string,
    options: { readonly replace: boolean; readonly preventScrollReset: boolean },
  ) => void,
): void {
  document.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-to]') : null;
    const isElsewhere =
      event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
    if (link === null || isElsewhere || event.defaultPrevented || link.target !== '') return;
    event.preventDefault();
    navigate(link.dataset['to'] ?? '', {
      // As browsers do with a link to the page that is shown.
      replace: link.dataset['replace'] === 'true' || link.href === window.location.href,
      preventScrollReset: link.dataset['keep'] === 'true',
    });
  });
}
