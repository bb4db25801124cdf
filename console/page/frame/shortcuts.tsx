/** Keys that lead on without the mouse. A person can turn them off: speech that is typed presses keys, too (WCAG 2.1.4). */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { stageNames } from '../connection/session.ts';
import { linkTo, route, type Screen, screenNames } from './route.ts';

/** The letter behind `g` for each screen. */
const letters: Readonly<Record<string, Exclude<Screen, 'run'>>> = {
  n: 'now',
  p: 'parked',
  c: 'calendar',
  u: 'uploads',
  h: 'history',
  d: 'doctor',
  s: 'settings',
  a: 'stages',
};

/** A press of `/` wants the search of History to have the focus. */
export const searchWanted = signal(false);

const storageKey = 'autopilot-keys';
const areOn = signal(localStorage.getItem(storageKey) !== 'off');

function turn(isOn: boolean): void {
  areOn.value = isOn;
  localStorage.setItem(storageKey, isOn ? 'on' : 'off');
}

/** Whether the browser, or another part of the page, does something with the key. */
function isOfOthers({ ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || defaultPrevented;
}

/** Whether a key belongs to what has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null;
}

function open(screen: Screen): void {
  const stage = route.value.stage || (stageNames()[0] ?? '');
  location.hash = linkTo(stage, screen);
}

/** Escape closes what is folded out around the focus, and leaves the focus where it was folded out. */
function close(target: EventTarget | null): void {
  const folded = target instanceof HTMLElement ? target.closest<HTMLDetailsElement>('details[open]') : null;
  if (folded === null) return;
  folded.open = false;
  folded.querySelector('summary')?.focus();
}

/** Hears the keys, and shows what they do. */
export function Shortcuts() {
  const help = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let isGo = false;
    const hear = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (isOfOthers(event)) return;
      if (key === 'Escape') return close(target);
      if (isTyping(target) || !areOn.value) return;
      const screen = isGo ? letters[key] : undefined;
      isGo = key === 'g';
      if (screen !== undefined) open(screen);
      if (key === '?') help.current?.showModal();
      if (key !== '/') return;
      event.preventDefault();
      searchWanted.value = true;
      open('history');
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
  return (
    <>
      <button type="button" class="quiet" onClick={() => help.current?.showModal()}>
        Keys
      </button>
      <dialog ref={help} aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <dl class="settings">
          <dt>/</dt>
          <dd>search the history</dd>
          {Object.entries(letters).map(([letter, screen]) => [
            <dt key={letter}>g {letter}</dt>,
            <dd key={screen}>{screenNames[screen]}</dd>,
          ])}
          <dt>Arrows</dt>
          <dd>from mark to mark in the calendar</dd>
          <dt>Escape</dt>
          <dd>closes what is folded out</dd>
          <dt>?</dt>
          <dd>this list</dd>
        </dl>
        <form method="dialog" class="buttons">
          <label>
            <input type="checkbox" checked={areOn.value} onChange={(event) => turn(event.currentTarget.checked)} /> Keys
            of one letter are on
          </label>
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
