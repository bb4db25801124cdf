import { freshnessOf, live } from '../connection/live.ts';
import { session } from '../connection/session.ts';
import { stageRow } from '../connection/stage-rows.ts';
import { chooseZone, tick, zone, zoneChoice, type ZoneChoice } from '../words/clock.ts';
import { Badge } from '../words/outcome.tsx';
import { linkTo, route } from './route.ts';

/** The top of every screen: which stage, whether it acts, how old the facts are, and in which zone times stand. */
export function Header() {
  const { stage } = route.value;
  return (
    <header class="top">
      <a class="brand" href="#/">
        Gateway Autopilot
      </a>
      {stage === '' ? null : <StageName stage={stage} />}
      <span class="spring" />
      {stage === '' ? null : <Freshness />}
      <ZoneSwitch />
    </header>
  );
}

function StageName({ stage }: { readonly stage: string }) {
  const row = stageRow(stage);
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
  return (
    <span class={isStale ? 'freshness bad' : 'freshness'}>
      <span class="unseen" role="status">
        {state}
      </span>
      <span aria-hidden="true">{isStale ? '▲ ' : '● '}</span>
      {age} {why}
    </span>
  );
}

const zoneNames: Readonly<Record<ZoneChoice, string>> = { stage: 'stage', UTC: 'UTC', mine: 'mine' };

function ZoneSwitch() {
  return (
    <label class="zone">
      <span class="dim">Times</span>
      <select value={zoneChoice.value} onChange={(event) => chooseZone(event.currentTarget.value as ZoneChoice)}>
        {Object.entries(zoneNames).map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
      <span class="zone-name">{zone.value}</span>
    </label>
  );
}
