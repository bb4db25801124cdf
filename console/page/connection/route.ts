import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * The place of the page, in the fragment of its address: `#/STAGE/SCREEN/SUBJECT?query`. Each
 * screen and each row has a link that can be kept.
 */
export interface Route {
  readonly screen: Screen;
  /** Empty on the screen of all stages. */
  readonly stage: string;
  /** A run's command id, or a key. */
  readonly subject?: string;
  readonly query: URLSearchParams;
}

/** The screens of a stage, in the order of the navigation; `run` is reached from others. */
export const stageScreens = ['now', 'parked', 'runs', 'calendar', 'uploads', 'history', 'doctor', 'settings'] as const;

export type Screen = (typeof stageScreens)[number] | 'run' | 'stages';

export const screenNames: Readonly<Record<Screen, string>> = {
  now: 'Now',
  parked: 'Parked',
  runs: 'Runs',
  calendar: 'Calendar',
  uploads: 'Uploads',
  history: 'History',
  doctor: 'Doctor',
  settings: 'Settings',
  run: 'Run',
  stages: 'Stages',
};

const isScreen = (word: string): word is Screen => Object.hasOwn(screenNames, word);

/** Reads a fragment. What it does not know leads to the stages. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [stage = '', screen = '', subject] = path.split('/').map(decoded);
  const isKnown = stage !== '' && isScreen(screen);
  return {
    screen: isKnown ? screen : 'stages',
    stage: isKnown ? stage : '',
    subject: isKnown && subject !== '' ? subject : undefined,
    query: new URLSearchParams(query),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The address of a screen. */
export function linkTo(stage: string, screen: Screen, subject?: string): string {
  if (screen === 'stages') return '#/';
  return `#/${[stage, screen, ...(subject === undefined ? [] : [subject])].map((part) => encodeURIComponent(part)).join('/')}`;
}

const fragment = signal('');

/** The fragment is read once the token has left it. */
export function followAddress(): void {
  fragment.value = location.hash;
  addEventListener('hashchange', () => (fragment.value = location.hash));
}

/** Puts what a person chose on this screen into its address, without a step of the browser's history; undefined takes it out. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const [path = '', text = ''] = fragment.peek().split('?', 2);
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  history.replaceState(null, '', query.size === 0 ? path : `${path}?${query.toString()}`);
  fragment.value = location.hash;
}

export const route = computed(() => parseRoute(fragment.value));

/** What heads the screen, if it tells more than the screen's name. */
export const shownTitle = signal<string | undefined>(undefined);

/** Heads the screen with a text, as long as it is open. */
export function useTitle(text: string): void {
  useEffect(() => {
    shownTitle.value = text;
    return () => void (shownTitle.value = undefined);
  }, [text]);
}
