import type { NowAnswer } from '../../api.ts';
import { endsOf, isInFlight } from '#operator/run-state/run-groups.ts';
import { live } from '../connection/live.ts';
import { Nothing, Panel, ProblemNote, ProblemNotes } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { Badge, cli, CommandLine, shapes } from '../words/outcome.tsx';
import { Distance, Instant, Time } from '../words/time.tsx';
import { Findings } from './findings.tsx';
import { FirstSteps } from './first-steps.tsx';
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
      <ProblemNotes problems={now.problems} />
      <Hero now={now} isOld={problem !== undefined} />
      <Attention needs={now.needs} />
      {isFirstMinute(now) ? <FirstSteps /> : null}
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

/** Nothing was done on the stage yet. */
function isFirstMinute({ runs, inFlight, pending, parked, recent }: NowAnswer): boolean {
  return runs.length + inFlight.length + pending.length + parked.length + recent.length === 0;
}

/** The sentence on top, the start that comes next, and the last night. */
function Hero({ now, isOld }: { readonly now: NowAnswer; readonly isOld: boolean }) {
  const { headline, clock } = now;
  const { says, until, tone } = headline;
  // Of a quiet stage the headline says it.
  const night = now.runs.some(isInFlight) ? endsOf(now.runs) : undefined;
  // They come by their next time.
  const next = now.schedules.find((each) => each.action === 'start' && each.isEnabled && each.next !== undefined);
  return (
    <div class="hero">
      {isOld ? (
        <p class="dim">
          What follows was so <Distance at={now.now} />.
        </p>
      ) : null}
      <p class={isOld ? '' : 'verdict'}>
        <span aria-hidden="true" class={tone}>
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
      {next?.next === undefined ? null : (
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
          The clock of this local stage was moved: it is <Time at={now.now} />. <CommandLine line={cli('clock')} />
        </p>
      )}
    </div>
  );
}

/** One cause counts once, with all that follows from it. */
function Attention({ needs }: Pick<NowAnswer, 'needs'>) {
  if (needs.length === 0) return <Nothing>Nothing needs attention.</Nothing>;
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
