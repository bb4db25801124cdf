import { useEffect, useState } from 'preact/hooks';
import { stageNames } from '../connection/session.ts';
import { Cancel, Dialog } from './dialog.tsx';
import { linkTo, route } from '../connection/route.ts';

const keys: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search the history'],
  ['?', 'this list'],
  ['← → ↑ ↓', 'in the calendar: from mark to mark'],
  ['Enter', 'opens what has the focus'],
  ['Escape', 'closes a dialog'],
];

/** Keys of the whole page; none of them is heard while a person types. */
export function Keys() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const target = event.target as Element | null;
      const isTyping = target?.closest('input, select, textarea, dialog') !== null;
      if (isTyping || ctrlKey || metaKey || altKey || (key !== '/' && key !== '?')) return;
      event.preventDefault();
      if (key === '?') setOpen(true);
      else openSearch();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" close={() => setOpen(false)}>
      <dl class="settings">
        {keys.map(([key, does]) => [
          <dt key={key}>
            <code>{key}</code>
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <Cancel says="Close" />
    </Dialog>
  );
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
}

function openSearch(): void {
  const { stage, screen } = route.peek();
  const name = stage === '' ? (stageNames()[0] ?? '') : stage;
  if (screen === 'history') return focusSearch();
  location.hash = linkTo(name, 'history');
  // The screen is drawn with the change of the address, and takes the focus to its heading.
  setTimeout(focusSearch, 50);
}
