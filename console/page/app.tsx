import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { visibleText } from '#shared/text/visible-text.ts';
import { signal, useSignalEffect } from '@preact/signals';
import { follow, live, readStageRows } from './connection/live.ts';
import { session, stageNames } from './connection/session.ts';
import { RunsScreen } from './runs/runs-screen.tsx';
import { CalendarScreen } from './calendar/calendar-screen.tsx';
import { HistoryScreen } from './history/history-screen.tsx';
import { DoctorScreen } from './doctor/doctor-screen.tsx';
import { NowScreen } from './now/now-screen.tsx';
import { ParkedScreen } from './parked/parked-screen.tsx';
import { RunScreen } from './run/run-screen.tsx';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { StagesScreen } from './stages/stages-screen.tsx';
import { UploadsScreen } from './uploads/uploads-screen.tsx';
import { Lines } from './words/outcome.tsx';
import { Header, Navigation } from './frame/header.tsx';
import { Keys } from './frame/keys.tsx';
import { route, screenNames, type Screen, shownTitle } from './connection/route.ts';

const screens: Readonly<Record<Screen, () => preact.JSX.Element>> = {
  now: NowScreen,
  parked: ParkedScreen,
  runs: RunsScreen,
  calendar: CalendarScreen,
  uploads: UploadsScreen,
  history: HistoryScreen,
  doctor: DoctorScreen,
  settings: SettingsScreen,
  run: RunScreen,
  stages: StagesScreen,
};

/** The whole page: the screen of the address, or why there is none. */
export function App() {
  switch (session.value.kind) {
    case 'opening':
      return <Alone title="Opening the console…" text="" />;
    case 'closed':
      return (
        <Alone
          title="This tab has no session"
          text={`${session.value.because}\nPress Enter in the terminal where the console runs: it prints another link. A link works once, within five minutes.`}
        />
      );
    case 'ended':
      return (
        <Alone
          title="The console has ended"
          text={'Its process is gone, so this page shows nothing.\nStart it again in the terminal where it ran.'}
        />
      );
    case 'open':
      return <Console />;
  }
}

function Alone({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <main class="alone">
      <h1>{title}</h1>
      <Lines text={text} />
    </main>
  );
}

const isHidden = signal(document.hidden);
document.addEventListener('visibilitychange', () => (isHidden.value = document.hidden));

function Console() {
  const { stage, screen, subject } = route.value;
  const name = shownTitle.value ?? screenNames[screen];
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const followed = stage === '' ? (stageNames()[0] ?? '') : stage;
  useEffect(() => void readStageRows(), []);
  // With the screen itself, not after it: the next key of a quick person goes to the new screen.
  useLayoutEffect(() => {
    // After a link, a reader of the screen hears the new page's name; at the first look the page
    // begins at its beginning.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [stage, screen, subject]);
  useEffect(() => {
    document.title = visibleText([name, stage, 'Gateway Autopilot'].filter(Boolean).join(' · '));
  }, [name, stage]);
  useEffect(() => {
    live.value = { stage: followed, state: 'connecting' };
  }, [followed]);
  useSignalEffect(() => {
    const current = route.value.stage === '' ? (stageNames()[0] ?? '') : route.value.stage;
    if (isHidden.value || current === '') return;
    const end = new AbortController();
    void follow(current, end.signal);
    return () => end.abort();
  });
  const Shown = screens[screen];
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header />
      <Navigation />
      <Keys />
      <main id="main">
        <h1 ref={heading} tabIndex={-1} class={stage === '' || screen === 'run' ? '' : 'marked'}>
          {name}
        </h1>
        <Shown key={`${stage} ${screen}`} />
      </main>
    </>
  );
}
