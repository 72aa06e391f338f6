import { IconCheck, IconX } from '@tabler/icons-react';
import {
  cloneElement,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { Link } from './link.js';
import { Announcer } from './toasts.js';
import classes from './overlays.module.css';
import { ActionIcon } from './ui.js';

interface ModalProps {
  readonly onClose: () => void;
  readonly title: string;
  /** `side`: at the right edge, over the whole height. */
  readonly size?: 'lg' | 'side';
  /** Whether only a button in it closes it. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/** A dialog above the page. The focus begins at `data-autofocus`, and afterwards returns to where it was. */
export function Modal({ opened, ...modal }: ModalProps & { readonly opened: boolean }) {
  return opened && createPortal(<Dialog {...modal} />, document.body);
}

function Dialog({ onClose, title, size, isKept = false, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`stack ${classes['dialog']}`}
      data-size={size}
      aria-labelledby={titleId}
      {...{ closedby: isKept ? 'none' : 'any' }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) onClose();
      }}
    >
      <div className="row between">
        <h2 id={titleId}>{title}</h2>
        {!isKept && (
          <ActionIcon aria-label="Close" onClick={onClose}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {children}
      <Announcer />
    </dialog>
  );
}

interface PopupProps {
  /** Opens it. */
  readonly button: ReactElement<HTMLAttributes<HTMLElement>>;
  readonly position?: 'bottom-start' | 'bottom-end' | 'top-start';
  readonly children: ReactNode;
}

/** Puts a popup beside its button, within the window. */
function place(popup: HTMLElement, button: Element, position: PopupProps['position']): void {
  const [at, size] = [button.getBoundingClientRect(), popup.getBoundingClientRect()];
  const isAbove = at.top > size.height && (position === 'top-start' || at.bottom + size.height > innerHeight);
  const left = position === 'bottom-end' ? at.right - size.width : at.left;
  popup.style.top = `${isAbove ? at.top - size.height - 4 : at.bottom + 4}px`;
  popup.style.left = `${Math.max(8, Math.min(left, innerWidth - size.width - 8))}px`;
}

/** What a button opens above the page. It closes by Esc, by a click elsewhere and by its button. */
function Popup({
  button,
  position = 'bottom-start',
  children,
  ...popup
}: PopupProps & HTMLAttributes<HTMLDivElement> & { readonly role: 'dialog' | 'menu' }) {
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const opener = document.querySelector(`[popovertarget="${id}"]`);
    const opened = element.current;
    if (!isOpen || opened === null || opener === null) return undefined;
    const move = () => place(opened, opener, position);
    // The popup is shown after this, and before the next frame.
    const frame = requestAnimationFrame(() => {
      move();
      opened.querySelector<HTMLElement>('[aria-checked="true"], [role^="menuitem"], button, input')?.focus();
    });
    window.addEventListener('resize', move);
    window.addEventListener('scroll', move, true);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('resize', move);
      window.removeEventListener('scroll', move, true);
    };
  }, [isOpen, id, position]);
  return (
    <>
      {cloneElement(button, {
        id: `${id}-button`,
        'aria-haspopup': popup.role,
        'aria-expanded': isOpen,
        ...{ popoverTarget: id },
      })}
      <div
        ref={element}
        id={id}
        popover="auto"
        className={classes['popup']}
        aria-labelledby={`${id}-button`}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        // Not before: the focus returns to the button only if it is within.
        onToggle={({ newState }) => newState === 'closed' && setOpen(false)}
        {...popup}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/** Fields above the page. */
export const Popover = (popover: PopupProps) => <Popup {...popover} role="dialog" />;

/** Moves the focus within a group by keys. Returns what it moved to. */
function moveFocus(
  event: KeyboardEvent<HTMLElement>,
  items: string,
  keys: readonly [back: string, on: string],
) {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(items)];
  const at = all.findIndex((each) => each === document.activeElement);
  const to = { [keys[0]]: at - 1, [keys[1]]: at + 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return undefined;
  event.preventDefault();
  const item = all.at(to % all.length);
  item?.focus();
  return item;
}

/** A button with a menu of what it offers: `MenuItem`, `MenuRadios` and `<hr />`. */
export function Menu(menu: PopupProps) {
  return (
    <Popup
      {...menu}
      role="menu"
      onKeyDown={(event) => {
        if (event.key === 'Tab') event.currentTarget.hidePopover();
        moveFocus(event, '[role^="menuitem"]', ['ArrowUp', 'ArrowDown']);
      }}
      // Before the item acts: the focus is back at the button when a dialog opens.
      onClickCapture={({ target, currentTarget }) => {
        if (target instanceof Element && target.closest('[role^="menuitem"]') !== null)
          currentTarget.hidePopover();
      }}
    />
  );
}

/** One entry of a menu: an action, or a link. */
export function MenuItem(props: {
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly to?: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}) {
  const { to, onClick, isDangerous = false } = props;
  const item = {
    className: classes['item'] ?? '',
    role: 'menuitem',
    tabIndex: -1,
    'data-tone': isDangerous ? 'bad' : undefined,
    children: (
      <>
        {props.icon}
        {props.children}
      </>
    ),
  };
  return to === undefined ? <button type="button" {...item} onClick={onClick} /> : <Link to={to} {...item} />;
}

/** Entries of a menu, one of which is chosen. */
export function MenuRadios<Value extends string>(props: {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  readonly onPick: (value: Value) => void;
}) {
  return props.options.map(({ value, label, hint }) => (
    <button
      key={value}
      type="button"
      className={classes['item']}
      role="menuitemradio"
      aria-checked={value === props.value}
      tabIndex={-1}
      onClick={() => props.onPick(value)}
    >
      <IconCheck size={16} aria-hidden />
      <span>
        {label}
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </button>
  ));
}

/** Parts of a page, one of which is shown; the first one at first. Each has its label and its content. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly tabs: Readonly<Partial<Record<Name, readonly [label: string, content: ReactNode]>>>;
  readonly value: Name;
  readonly onChange: (name: Name) => void;
}) {
  const { tabs, value } = props;
  const id = useId();
  const names = Object.keys(tabs).filter((name): name is Name => name in tabs);
  return (
    <>
      <div
        role="tablist"
        className={classes['tabs']}
        aria-label={props.label}
        onKeyDown={(event) => moveFocus(event, '[role="tab"]', ['ArrowLeft', 'ArrowRight'])?.click()}
      >
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === value}
            aria-controls={name === value ? id : undefined}
            tabIndex={name === value ? 0 : -1}
            onClick={() => props.onChange(name)}
          >
            {tabs[name]?.[0]}
          </button>
        ))}
      </div>
      <div role="tabpanel" className="sections" id={id} aria-labelledby={`${id}-${value}`}>
        {tabs[value]?.[1]}
      </div>
    </>
  );
}
