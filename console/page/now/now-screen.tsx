import type { NowAnswer } from '../../api.ts';
import { endsOf, isInFlight } from '#operator/run-state/run-groups.ts';
import { live } from '../connection/live.ts';
import { Nothing, Panel, ProblemNote, ProblemNotes } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { Badge, cli, CommandLine, shapes } from '../words/outcome.tsx';
import { Distance, Instant, Time } from '../words/time.tsx';
import { Findings } from './findings.tsx';
import { Budgets, QueuesPanel } from './reserves.tsx';
import { OpenRuns, OtherWork, Recent } from './runs.tsx';
import { SwitchActions } from './switch-actions.tsx';

/** What happens at this moment: what needs attention first. It comes by the stream and moves automatically. */
export function NowScreen() {
  const { now, problem } = live.value;
  if (now === undefined) {
    return problem === undefined ? <p class="dim">Reading…</p> : <ProblemNote problem={problem} />;
  }
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <Verdict now={now} isOld={problem !== undefined} />
      <Attention needs={now.needs} isOld={problem !== undefined} />
      <Around now={now} />
      <ProblemNotes problems={now.problems} />
      <div class="columns">
        <OpenRuns now={now} />
        <OtherWork now={now} />
        <Recent now={now} />
        <Next now={now} />
        <Budgets now={now} />
        <QueuesPanel queues={now.queues} />
      </div>
      <SwitchActions now={now} />
    </>
  );
}

/** The sentence on top; of a stage that is not read any more it is small, and says when it was so. */
function Verdict({ now: { headline, now }, isOld }: { readonly now: NowAnswer; readonly isOld: boolean }) {
  const { says, until, tone } = headline;
  return (
    <p class={isOld ? 'dim' : 'verdict'}>
      {isOld ? (
        <>
          What follows was so <Distance at={now} />:{' '}
        </>
      ) : null}
      <span aria-hidden="true" class={isOld ? '' : tone}>
        {shapes[tone]}
      </span>{' '}
      {says}{' '}
      {until === undefined ? null : (
        <>
          <Time at={until} />{' '}
          <span class="dim">
            <Distance at={until} />
          </span>
        </>
      )}
    </p>
  );
}

/** The start that comes next, and the last night, unless the sentence on top has said them. */
function Around({ now: { runs, schedules, headline, clock, now } }: { readonly now: NowAnswer }) {
  const night = runs.some(isInFlight) ? endsOf(runs) : undefined;
  // They come by their next time.
  const next = schedules.find((each) => each.action === 'start' && each.isEnabled && each.next !== undefined);
  return (
    <>
      {next?.next === undefined || next.next === headline.until ? null : (
        <p>
          <span class="dim">Next start</span> <a href={linkTo(route.value.stage, 'calendar')}>{next.run}</a>{' '}
          <Time at={next.next} />, <Distance at={next.next} /> <span class="dim">by {next.name}</span>
          <WillBeSkipped schedule={next} />
        </p>
      )}
      {night === undefined ? null : (
        <p>
          <a href={linkTo(route.value.stage, 'history')}>Last night</a>: {night}
        </p>
      )}
      {clock === undefined ? null : (
        <p class="dim">
          The clock of this local stage was moved: it is <Time at={now} />. <CommandLine line={cli('clock')} />
        </p>
      )}
    </>
  );
}

/** One cause counts once, with all that follows from it. */
function Attention({ needs, isOld }: Pick<NowAnswer, 'needs'> & { readonly isOld: boolean }) {
  if (needs.length === 0) return <Nothing>Nothing {isOld ? 'needed' : 'needs'} attention.</Nothing>;
  return (
    <Panel title="Needs attention" count={needs.filter(({ causedBy }) => causedBy === undefined).length}>
      <Findings findings={needs} />
    </Panel>
  );
}

function WillBeSkipped({ schedule: { skipped } }: { readonly schedule: NowAnswer['schedules'][number] }) {
  return skipped === undefined ? null : <Badge tone="warn">{`${skipped}: will be skipped`}</Badge>;
}

/** Of the schedules that send commands: those that wake a worker are on Settings. */
function Next({ now }: { readonly now: NowAnswer }) {
  const rows = now.schedules.filter(({ next, action }) => next !== undefined && action !== undefined);
  if (rows.length === 0) return <Nothing>No schedule starts or stops anything.</Nothing>;
  return (
    <Panel title="Next" count={rows.length}>
      <ul class="rows">
        {rows.slice(0, 8).map((schedule) => (
          <li key={schedule.name} class="line">
            <strong>
              {schedule.action} {schedule.run}
            </strong>
            <span class="dim">by {schedule.name}</span>
            <WillBeSkipped schedule={schedule} />
            <span class="right">
              <Instant at={schedule.next ?? ''} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
