import { freshnessOf, live, stageRowOf } from '../connection/live.ts';
import { session, stageNames } from '../connection/session.ts';
import { answerReadAt } from '../connection/use-answer.ts';
import { Badge } from '../words/outcome.tsx';
import { tick, zone } from '../words/time.tsx';
import { roughly } from '#operator/readable.ts';
import { linkTo, route, type Screen, screenNames, stageScreens } from '../connection/route.ts';

/** The top of every screen: which stage, whether it acts, how old the facts are, and in which zone times stand. */
export function Header() {
  const { stage } = route.value;
  return (
    <header class="top">
      <a class="brand" href="#/">
        <span class={stage === '' ? '' : 'wide'}>Gateway Autopilot</span>
        {stage === '' ? null : <span class="narrow">Stages ›</span>}
      </a>
      {stage === '' ? null : <StageName stage={stage} />}
      {stage === '' ? null : <Freshness />}
      <span class="zone-name">{zone.value}</span>
    </header>
  );
}

function StageName({ stage }: { readonly stage: string }) {
  const row = stageRowOf(stage);
  const { now } = live.value;
  const mode = now?.mode ?? row?.mode;
  return (
    <span class="stage">
      <a href={linkTo(stage, 'now')}>{stage}</a>
      <span class="dim">{[row?.region, row?.account, now?.version ?? row?.version].filter(Boolean).join(' · ')}</span>
      {mode === undefined ? null : <Badge tone={mode === 'act' ? 'good' : 'warn'}>{modes[mode]}</Badge>}
      <Rights />
    </span>
  );
}

/** What this console may change. */
function Rights() {
  const allow = session.value.kind === 'open' ? session.value.allow : [];
  return allow.length === 0 ? <Badge>read only</Badge> : <Badge tone="warn">{`may: ${allow.join(', ')}`}</Badge>;
}

const modes = { act: 'acts', observe: 'only observes', unknown: 'mode unknown' } as const;

/** How old the facts are. Only a change of state is announced, never each second. */
function Freshness() {
  const { isStale, age, state, why } = freshnessOf(live.value, tick.value);
  const readAt = answerReadAt.value;
  return (
    <span class={isStale ? 'freshness bad' : 'freshness'} title={why}>
      <span class="unseen" role="status">
        {state}
      </span>
      <span aria-hidden="true">{isStale ? '▲ ' : '● '}</span>
      {readAt === undefined ? age : `as of ${roughly(tick.value - readAt)} ago`} {why}
    </span>
  );
}

/** The screens of the stage; those where something waits have its number. */
export function Navigation() {
  const { stage, screen } = route.value;
  const current = stage === '' ? stageNames()[0] : stage;
  const item = (name: Screen, href: string) => (
    <li key={name} class={name === 'stages' ? 'wide' : ''}>
      <a href={href} aria-current={screen === name || (screen === 'run' && name === 'history') ? 'page' : undefined}>
        {screenNames[name]}
        {name === 'parked' ? <Waiting /> : null}
      </a>
    </li>
  );
  return (
    <nav aria-label="Screens" class={stage === '' ? 'wide' : ''}>
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
