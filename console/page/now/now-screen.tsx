import type { NowAnswer } from '../../api.ts';
import { live } from '../connection/live.ts';
import { Nothing, Panel, ProblemNote, ProblemNotes } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Badge, cli, CommandLine, OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Distance, Instant, Sentence, Time } from '../words/time.tsx';
import { Findings } from './findings.tsx';
import { FirstSteps } from './first-steps.tsx';
import { isFirstMinute, lastNightWords } from './glance.ts';
import { isOf, RunsInFlight, Tried } from './in-flight.tsx';
import { Budgets, QueuesPanel } from './reserves.tsx';
import { SwitchActions } from './switch-actions.tsx';

/** What happens at this moment: what needs attention first. It comes by the stream and moves automatically. */
export function NowScreen() {
  const { now, problem } = live.value;
  if (now === undefined) {
    return problem === undefined ? <p class="dim">Reading…</p> : <ProblemNote problem={problem} />;
  }
  const pending = now.pending.filter((row) => !now.inFlight.some((run) => isOf(row, run)));
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <ProblemNotes problems={now.problems} />
      <Hero now={now} />
      <Attention needs={now.needs} />
      {isFirstMinute(now) ? <FirstSteps /> : null}
      <div class="columns">
        <RunsInFlight now={now} />
        <Retrying rows={pending} />
        <Next now={now} />
        <Recent rows={now.recent} />
        <Budgets now={now} />
        <QueuesPanel queues={now.queues} />
      </div>
      <SwitchActions now={now} />
    </>
  );
}

const shapes = { good: '●', warn: '◆', bad: '▲' } as const;

/** The sentence on top, the start that comes next, and the last night. */
function Hero({ now }: { readonly now: NowAnswer }) {
  const { headline, lastNight, clock } = now;
  const { says, until, tone } = headline;
  // They come by their next time.
  const next = now.schedules.find((each) => each.action === 'start' && each.isEnabled && each.next !== undefined);
  return (
    <div class="hero">
      <p class="verdict">
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
      {lastNight === undefined ? null : (
        <p>
          <a href={linkTo(route.value.stage, 'history')}>Last night</a>: {lastNightWords(lastNight)}
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

function Retrying({ rows }: { readonly rows: NowAnswer['pending'] }) {
  if (rows.length === 0) return null;
  return (
    <Panel title="Retrying" count={rows.length}>
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>{row.run ?? row.id}</strong>
            <Tried pending={row} />
          </li>
        ))}
      </ul>
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

function Recent({ rows }: { readonly rows: NowAnswer['recent'] }) {
  if (rows.length === 0) return <Nothing>Nothing has ended yet.</Nothing>;
  return (
    <Panel title="Recent" count={rows.length}>
      <ul class="rows">
        {rows.map(({ at, kind, subject, reason, detail }) => (
          <li key={`${at} ${subject}`}>
            <div class="line">
              <OutcomeWord outcome={kind} reason={reason} />
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
          </li>
        ))}
      </ul>
    </Panel>
  );
}
