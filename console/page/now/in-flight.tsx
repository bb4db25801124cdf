import type { NowAnswer } from '../../api.ts';
import { Nothing, Panel } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Badge, cli, CommandLine, ShortIds } from '../words/outcome.tsx';
import { Distance, Instant, Sentence, stageNow, Time } from '../words/time.tsx';
import { roughly } from '#operator/readable.ts';

type Row = NowAnswer['inFlight'][number];
type Pending = NowAnswer['pending'][number];
type Run = NowAnswer['runs'][number];

/** Runs, uploads and deferred commands that have no end yet, with the countdown to the stop. */
export function RunsInFlight({ now: { inFlight, pending, runs } }: { readonly now: NowAnswer }) {
  if (inFlight.length === 0) return <Nothing>Nothing is in flight.</Nothing>;
  return (
    <Panel title="In flight" count={inFlight.length}>
      <ul class="rows">
        {inFlight.map((row) => (
          <li key={`${row.kind} ${row.subject} ${row.since}`}>
            <Head row={row} />
            <Standing
              row={row}
              run={runs.find(({ startId }) => startId === row.startCommandId)}
              waits={pending.find((each) => isOf(each, row))}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Head({ row }: { readonly row: Row }) {
  const { kind, campaignRunId, since, deferred } = row;
  const name = deferred !== undefined ? 'due' : Date.parse(since) > stageNow.value ? 'begins' : 'since';
  return (
    <div class="line">
      <strong>
        <StoryLink row={row} />
      </strong>
      <span class="dim">
        {kind} <ShortIds text={campaignRunId ?? ''} />
      </span>
      {row.isObserved === true ? <Badge>observed</Badge> : null}
      <span class="right dim">
        {name} <Instant at={since} />
      </span>
    </div>
  );
}

/** A run, and a start that was deferred, lead to the story of the start; other work has none. */
function StoryLink({ row: { campaignRunId, subject, startCommandId, commandId, deferred } }: { readonly row: Row }) {
  const id = startCommandId ?? (deferred === undefined ? undefined : commandId);
  // The subject of a run has its id, which stands beside the name.
  const text = campaignRunId === undefined ? subject : subject.replace(` (${campaignRunId})`, '');
  const shown = <ShortIds text={text} />;
  return id === undefined ? <span>{shown}</span> : <a href={linkTo(route.value.stage, 'run', id)}>{shown}</a>;
}

interface Stands {
  readonly row: Row;
  readonly run: Run | undefined;
  readonly waits: Pending | undefined;
}

function Standing({ row, run, waits }: Stands) {
  return (
    <>
      {run === undefined ? null : (
        <p class={run.tone === 'good' ? undefined : run.tone}>
          <Sentence text={run.says} />
        </p>
      )}
      {waits === undefined ? null : <Tried pending={waits} />}
      {row.kind === 'run' ? <Stop row={row} stopDueAt={run?.stopsAt} /> : null}
      {row.expectedEnd === undefined ? null : (
        <p class="dim">
          It usually ends at <Instant at={row.expectedEnd} />.
        </p>
      )}
      {row.campaignRunId === undefined || row.isObserved === true ? null : (
        <StopCommand campaignRunId={row.campaignRunId} />
      )}
      {row.lastRunElsewhere === undefined ? null : (
        <p class="bad">
          The last run of its campaign was started elsewhere: <ShortIds text={row.lastRunElsewhere} />
        </p>
      )}
    </>
  );
}

/** The command that stops a run: the console sends none. */
export function StopCommand({ campaignRunId }: { readonly campaignRunId: string }) {
  return (
    <p>
      Stop it, with your reason in the place of TEXT:{' '}
      <CommandLine line={cli('send', 'stop', campaignRunId, '--reason', 'TEXT')} />
    </p>
  );
}

/** Whether tried work is the start of this run that has no answer: it is shown there, and only once. Pure. */
export function isOf({ id }: Pick<Pending, 'id'>, { startCommandId }: Row): boolean {
  return id === startCommandId;
}

/** How often work was tried, why it waits and when it is tried again. */
export function Tried({ pending }: { readonly pending: Pending }) {
  const { tries, since, nextTryAt, lastError, waitsFor, refusals } = pending;
  return (
    <>
      <div class="line">
        <span class="dim">
          {tries} {tries === 1 ? 'try' : 'tries'} since <Time at={since} />
        </span>
        {nextTryAt === undefined ? null : (
          <span class="right">
            {Date.parse(nextTryAt) < stageNow.value ? (
              'next try as soon as it can'
            ) : (
              <>
                next try <Distance at={nextTryAt} />
              </>
            )}
          </span>
        )}
      </div>
      <p class="words">
        {refusals?.status === undefined ? null : `HTTP ${refusals.status} ×${refusals.count} `}
        <Sentence text={lastError ?? waitsFor ?? 'No answer of the gateway yet.'} />
      </p>
    </>
  );
}

/**
 * When a run is stopped, and by what if that is not the stop that its start planned. Without a
 * stop, until when it keeps other starts waiting.
 */
function Stop({ row, stopDueAt }: { readonly row: Row; readonly stopDueAt: string | undefined }) {
  const { since, endsAt = stopDueAt, endsBy, inFlightUntil } = row;
  if (endsAt === undefined) {
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
  const isOverdue = stopDueAt !== undefined && Date.parse(stopDueAt) < stageNow.value;
  return (
    <Countdown
      since={since}
      until={isOverdue ? stopDueAt : endsAt}
      by={endsBy?.kind === 'schedule' ? endsBy.name : ''}
    />
  );
}

/** How much of the way to its stop a run has gone. */
function Countdown({ since, until, by }: { readonly since: string; readonly until: string; readonly by: string }) {
  const from = Date.parse(since);
  const whole = Math.max(1, Date.parse(until) - from);
  const gone = Math.min(whole, Math.max(0, stageNow.value - from));
  const left = Date.parse(until) - stageNow.value;
  return (
    <div class={`line countdown ${left < 0 ? 'bad' : ''}`}>
      <progress max={whole} value={gone} aria-label="Time to the first stop" />
      <span class="right">
        {left < 0 ? `▲ ${roughly(-left)} past its stop` : `stops in ${roughly(left)}`}, <Time at={until} isShort />
        {by === '' || left < 0 ? null : <span class="dim"> by {by}</span>}
      </span>
    </div>
  );
}
