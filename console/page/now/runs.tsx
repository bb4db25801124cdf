/** The runs of the screen Now: those that go on or are to come, and how the last ones ended, beside the last uploads. */
import { isInFlight } from '#operator/run-state/run-groups.ts';
import type { NowAnswer } from '../../api.ts';
import { Nothing, Panel } from '../frame/answer.tsx';
import { isOpen, RunLine } from '../run/run-line.tsx';
import { StopRuns } from '../run/stop.tsx';
import { OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Distance, Instant, Sentence, stageNow, Time } from '../words/time.tsx';

type InFlight = NowAnswer['inFlight'][number];
type Pending = NowAnswer['pending'][number];

/** Runs that go on, wait or are to come, the first to stop or to begin on top. */
export function OpenRuns({ now: { runs, inFlight, pending } }: { readonly now: NowAnswer }) {
  const open = runs.filter(isOpen);
  if (open.length === 0) return <Nothing>Nothing runs, and nothing is about to.</Nothing>;
  return (
    <Panel title="Runs" count={open.length}>
      <ul class="rows">
        {open.map((run) => (
          <li key={run.startId}>
            <RunLine run={run}>
              <Tried pending={pending.find(({ id }) => id === run.startId)} />
              <Beside row={inFlight.find(({ startCommandId }) => startCommandId === run.startId)} />
              <StopRuns runs={[run]} />
            </RunLine>
          </li>
        ))}
      </ul>
      {open.filter(isInFlight).length < 2 ? null : <StopRuns runs={open} />}
    </Panel>
  );
}

/** What else is known of a run in flight: another stop, its usual end, a run that was started elsewhere. */
function Beside({ row }: { readonly row: InFlight | undefined }) {
  if (row === undefined) return null;
  const { endsAt, endsBy, expectedEnd, inFlightUntil, lastRunElsewhere, lastRunElsewhereAt } = row;
  return (
    <>
      {endsBy?.kind !== 'schedule' || endsAt === undefined ? null : (
        <p>
          The schedule {endsBy.name} stops it at <Time at={endsAt} />.
        </p>
      )}
      {endsAt !== undefined || inFlightUntil === undefined ? null : (
        <p>
          No stop is planned. It counts as in flight until <Instant at={inFlightUntil} />.
        </p>
      )}
      {expectedEnd === undefined ? null : (
        <p class="dim">
          It usually ends at <Instant at={expectedEnd} />.
        </p>
      )}
      {lastRunElsewhere === undefined ? null : (
        <p class="bad">
          The last run of its campaign was started elsewhere: <ShortIds text={lastRunElsewhere} />
          {lastRunElsewhereAt === undefined ? null : <Instant at={lastRunElsewhereAt} />}
        </p>
      )}
    </>
  );
}

/** How often work was tried, why it waits and when it is tried again. */
function Tried({ pending }: { readonly pending: Pending | undefined }) {
  if (pending === undefined) return null;
  const { tries, since, nextTryAt, waitsFor } = pending;
  return (
    <>
      <p class="dim">
        {tries} {tries === 1 ? 'try' : 'tries'} since <Time at={since} />
        {nextTryAt === undefined ? null : Date.parse(nextTryAt) < stageNow.value ? (
          ', next try as soon as it can'
        ) : (
          <>
            , next try <Distance at={nextTryAt} />
          </>
        )}
      </p>
      {waitsFor === undefined ? null : (
        <p class="words">
          <Sentence text={waitsFor} />
        </p>
      )}
    </>
  );
}

/** Work that is no run and has no end yet: uploads that are sent or retried, stops that are tried, changes that are gathered. */
export function OtherWork({ now: { runs, inFlight, pending } }: { readonly now: NowAnswer }) {
  const isRun = (id: string | undefined) => runs.some(({ startId }) => startId === id);
  const tried = pending.filter(({ id }) => !isRun(id));
  const open = inFlight.filter(({ kind, commandId }) => kind !== 'run' && !isRun(commandId));
  if (tried.length + open.length === 0) return null;
  return (
    <Panel title="Other work" count={tried.length + open.length}>
      <ul class="rows">
        {open.map(({ kind, subject, since }) => (
          <li key={`${kind} ${subject}`} class="line">
            <strong>
              <ShortIds text={subject} />
            </strong>
            <span class="right dim">
              since <Instant at={since} />
            </span>
          </li>
        ))}
        {tried.map((row) => (
          <li key={row.id}>
            <strong>{row.run ?? row.id}</strong>
            <Tried pending={row} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** As many ends as a person takes in at a glance. */
const mostRecent = 6;

/** How the last runs and uploads ended, the latest first. What was decided since is not red. */
export function Recent({ now: { runs, recent } }: { readonly now: NowAnswer }) {
  const ended = [
    ...runs.filter((run) => !isOpen(run)).map((run) => ({ at: run.endedAt ?? run.startAt, run })),
    ...recent.map((upload) => ({ at: upload.at, upload })),
  ]
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, mostRecent);
  if (ended.length === 0) return <Nothing>Nothing has ended yet.</Nothing>;
  return (
    <Panel title="Recent">
      <ul class="rows">
        {ended.map((one) => (
          <li key={'run' in one ? one.run.startId : `${one.at} ${one.upload.subject}`}>
            {'run' in one ? <RunLine run={one.run} /> : <RecentWork work={one.upload} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function RecentWork({
  work: { at, kind, subject, reason, detail, isDecided },
}: {
  readonly work: NowAnswer['recent'][number];
}) {
  return (
    <>
      <div class="line">
        <OutcomeWord outcome={kind} reason={reason} isDecided={isDecided === true} />
        <span>
          <ShortIds text={subject} />
        </span>
        <span class="right dim">
          <Time at={at} />
        </span>
      </div>
      {detail === undefined ? null : (
        <p class="words">
          <Sentence text={detail} />
        </p>
      )}
    </>
  );
}
