import type { NowAnswer } from '../../api.ts';
import { Nothing, Panel } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Distance, Instant, stageNow, Time } from '../words/time.tsx';
import { Badge, cli, CommandLine } from '../words/outcome.tsx';
import { duration } from '../words/times.ts';

type Row = NowAnswer['inFlight'][number];

/** Runs, uploads and deferred commands that have no end yet, with the countdown to the stop. */
export function InFlight({ rows }: { readonly rows: NowAnswer['inFlight'] }) {
  return (
    <Panel title="In flight" count={rows.length}>
      {rows.length === 0 ? (
        <Nothing>Nothing is in flight.</Nothing>
      ) : (
        <>
          <ul class="rows">
            {rows.map((row) => (
              <li key={`${row.kind} ${row.subject} ${row.since}`}>
                <strong>
                  <StoryLink row={row} />
                </strong>{' '}
                <span class="dim">{row.kind}</span> <State row={row} />
                <p class="dim">
                  {row.deferred === undefined ? 'since' : 'due'} <Instant at={row.since} />
                </p>
                {row.stopDueAt === undefined ? (
                  <WithoutStop row={row} />
                ) : (
                  <Countdown since={row.since} until={row.stopDueAt} />
                )}
              </li>
            ))}
          </ul>
          {rows.some(({ kind }) => kind === 'run') ? (
            <CommandLine line={cli('stop', '--all-in-flight', '--reason', 'TEXT')} />
          ) : null}
        </>
      )}
    </Panel>
  );
}

/** A run, and a start that was put off, lead to the story of the start; other work has none. */
function StoryLink({ row: { subject, startCommandId, commandId, deferred } }: { readonly row: Row }) {
  const id = startCommandId ?? (deferred === undefined ? undefined : commandId);
  return id === undefined ? <span>{subject}</span> : <a href={linkTo(route.value.stage, 'run', id)}>{subject}</a>;
}

function State({ row: { state, inDoubtOf, inDoubtSince, isObserved } }: { readonly row: Row }) {
  return (
    <>
      {state === undefined || state === 'started' ? null : (
        <Badge tone={state === 'in doubt' || state === 'stop due' ? 'bad' : 'plain'}>
          {state === 'in doubt' ? `NO ANSWER YET to the ${inDoubtOf ?? 'start'}` : state}
        </Badge>
      )}
      {inDoubtSince === undefined ? null : (
        <span class="dim">
          {' '}
          <Distance at={inDoubtSince} />
        </span>
      )}
      {isObserved === true ? <Badge>observed</Badge> : null}
    </>
  );
}

/** A run that no one stops: until when it keeps other starts waiting. A scheduled stop may come before. */
function WithoutStop({ row: { kind, inFlightUntil } }: { readonly row: Row }) {
  if (kind !== 'run') return null;
  return (
    <p>
      No stop is planned.{' '}
      {inFlightUntil === undefined ? null : (
        <span>
          It counts as in flight until <Instant at={inFlightUntil} />.
        </span>
      )}
    </p>
  );
}

/** How much of the way to its stop a run has gone. */
function Countdown({ since, until }: { readonly since: string; readonly until: string }) {
  const from = Date.parse(since);
  const whole = Math.max(1, Date.parse(until) - from);
  const gone = Math.min(whole, Math.max(0, stageNow.value - from));
  const left = Date.parse(until) - stageNow.value;
  return (
    <p class={`countdown ${left < 0 ? 'bad' : ''}`}>
      <progress max={whole} value={gone} aria-label="Time to the planned stop" />
      <span class="right">
        {left < 0 ? `▲ stop due ${duration(-left)} ago` : `stop in ${duration(left)}`}, <Time at={until} isShort />
      </span>
    </p>
  );
}
