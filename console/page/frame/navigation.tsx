import { live } from '../connection/live.ts';
import { stageNames } from '../connection/session.ts';
import { linkTo, route, screenNames, stageScreens, type Screen } from './route.ts';

/** The screens of the stage; those where something waits have its number. */
export function Navigation() {
  const { stage, screen } = route.value;
  const current = stage === '' ? stageNames()[0] : stage;
  const item = (name: Screen, href: string) => (
    <li key={name}>
      <a href={href} aria-current={screen === name || (screen === 'run' && name === 'history') ? 'page' : undefined}>
        {screenNames[name]}
        {name === 'parked' ? <Waiting /> : null}
      </a>
    </li>
  );
  return (
    <nav aria-label="Screens">
      <ul>
        {item('stages', '#/')}
        {current === undefined || stage === '' ? null : stageScreens.map((name) => item(name, linkTo(current, name)))}
      </ul>
      {stage === '' ? null : <Stages />}
    </nav>
  );
}

function Waiting() {
  const count = live.value.now?.parked.length ?? 0;
  if (count === 0) return null;
  return (
    <span class="count">
      {count}
      <span class="unseen"> waiting</span>
    </span>
  );
}

/** The other stages, on the same screen. */
function Stages() {
  const { stage, screen } = route.value;
  const names = stageNames();
  if (names.length < 2) return null;
  const target = screen === 'run' || screen === 'stages' ? 'now' : screen;
  return (
    <ul class="others" aria-label="Stages">
      {names.map((name) => (
        <li key={name}>
          <a href={linkTo(name, target)} aria-current={name === stage ? 'true' : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
