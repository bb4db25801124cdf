/** A run as each screen shows it: its name, its state, its bar while it goes on, its score after. */
import type { ComponentChildren } from 'preact';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { isInFlight, stateWord } from '#operator/run-state/run-groups.ts';
import { linkTo, route } from '../connection/route.ts';
import { StateChip } from '../words/outcome.tsx';
import { stageNow, Time } from '../words/time.tsx';

/** Whether a run is still to come, goes on, or waits: all others are over. */
export function isOpen(run: RunReport): boolean {
  return isInFlight(run) || run.state === 'deferred' || run.state === 'waiting';
}

/** How a run stands: its state, and its score once it has one. */
export function RunChip({ run: { state, tone, score } }: { readonly run: RunReport }) {
  return (
    <>
      <StateChip state={stateWord(state)} tone={tone} />
      {score === undefined ? null : <span class="score">score {score}</span>}
    </>
  );
}

/** The name of a run leads to its own page. */
function RunName({ run: { run, startId } }: { readonly run: Pick<RunReport, 'run' | 'startId'> }) {
  return <a href={linkTo(route.value.stage, 'run', startId)}>{run === '' ? 'a run' : run}</a>;
}

/** A run of a list, with its sentence. */
export function RunLine({ run, children }: { readonly run: RunReport; readonly children?: ComponentChildren }) {
  return (
    <>
      <div class="line">
        <strong>
          <RunName run={run} />
        </strong>
        <RunChip run={run} />
        <span class="right dim">
          <Time at={run.endedAt ?? run.startAt} />
        </span>
      </div>
      <p class="words">{run.says}</p>
      <RunBar run={run} />
      {children}
    </>
  );
}

/** How much of the way to its planned stop a run has gone. */
function RunBar({ run: { startAt, stopsAt } }: { readonly run: RunReport }) {
  const [from, until, now] = [Date.parse(startAt), Date.parse(stopsAt ?? ''), stageNow.value];
  if (!(now >= from && until > from)) return null;
  return <progress class="course" max={until - from} value={now - from} aria-label="Time to its planned stop" />;
}
