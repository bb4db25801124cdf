import type { NowAnswer } from '../../api.ts';
import { nextStart } from '#operator/needs/headline.ts';
import { live } from '../connection/live.ts';
import { Nothing, Panel, ProblemNote, ProblemNotes, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Badge, NextStep, OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Distance, Instant, Moments, Sentence, Time } from '../words/time.tsx';
import { HeldBack } from './held-back.tsx';
import { RunsInFlight, Tried } from './in-flight.tsx';
import { SwitchActions } from './switch-actions.tsx';
import { isOf } from './verdict.ts';

/** What happens at this moment, and what a person should do first. It comes by the stream and moves by itself. */
export function NowScreen() {
  const { now, problem } = live.value;
  if (now === undefined) {
    return problem === undefined ? <p class="dim">Reading…</p> : <ProblemNote problem={problem} />;
  }
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <ProblemNotes problems={now.problems} />
      <VerdictLine now={now} />
      <HeldBack now={now} />
      <SwitchActions now={now} />
      <Needs needs={now.needs} />
      <div class="columns">
        <RunsInFlight now={now} />
        <Pending rows={now.pending.filter((row) => !now.inFlight.some((run) => isOf(row, run)))} />
        <Next now={now} />
        <Recent rows={now.recent} />
        <Supplies supplies={now.supplies} />
        <Queues queues={now.queues} />
      </div>
    </>
  );
}

const shapes = { good: '●', warn: '◆', bad: '▲' } as const;

/** The sentence on top of Now, and the start that comes next. */
function VerdictLine({ now }: { readonly now: NowAnswer }) {
  const { says, until, tone } = now.headline;
  const next = nextStart(now);
  return (
    <div class="hero">
      <p class="verdict">
        <span aria-hidden="true" class={tone}>
          {shapes[tone]}
        </span>{' '}
        {says} {until === undefined ? null : <Time at={until} />}
        {until === undefined ? null : (
          <span class="dim">
            {' '}
            <Distance at={until} />
          </span>
        )}
      </p>
      {next?.next === undefined ? null : (
        <p>
          <span class="dim">Next start</span> <a href={linkTo(route.value.stage, 'calendar')}>{next.run}</a>{' '}
          <Time at={next.next} />, <Distance at={next.next} /> <span class="dim">by {next.name}</span>
          {next.skipped === undefined ? null : <Badge tone="warn">{`${next.skipped}: it will be skipped`}</Badge>}
        </p>
      )}
    </div>
  );
}

function Needs({ needs }: Pick<NowAnswer, 'needs'>) {
  return (
    <Panel title="Needs attention" count={needs.filter(({ causedBy }) => causedBy === undefined).length}>
      {needs.length === 0 ? (
        <Nothing>Nothing to do.</Nothing>
      ) : (
        <ol class="todo">
          {needs.map(({ subject, says, state, moments, next, causedBy }) => (
            <li key={`${subject} ${says}`} class={causedBy === undefined ? '' : 'dim'}>
              <span class="says">
                <span aria-hidden="true" class={state === 'problem' ? 'bad' : 'warn'}>
                  {state === 'problem' ? '▲ ' : '◆ '}
                </span>
                <strong>{subject}</strong> <ShortIds text={says} />
                <Moments moments={moments} />
                {causedBy === undefined ? null : ` (see ${causedBy})`}
              </span>
              <span class="buttons">
                <NextStep step={next} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Pending({ rows }: { readonly rows: NowAnswer['pending'] }) {
  if (rows.length === 0) return null;
  return (
    <Panel title="Retrying" count={rows.length}>
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>{[row.action ?? 'upload', row.run ?? row.id].join(' ')}</strong>
            <Tried pending={row} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Of the schedules that send commands: those that wake a worker are on Settings. A start within a freeze is marked: it will be skipped. */
function Next({ now }: { readonly now: NowAnswer }) {
  const rows = now.schedules
    .filter(({ next, action }) => next !== undefined && action !== undefined)
    .toSorted((a, b) => (a.next ?? '').localeCompare(b.next ?? ''));
  return (
    <Panel title="Next" count={rows.length}>
      {rows.length === 0 ? (
        <Nothing>No schedule starts or stops anything.</Nothing>
      ) : (
        <ul class="rows">
          {rows.slice(0, 8).map(({ name, next = '', action, run, skipped }) => (
            <li key={name} class="line">
              <strong>
                {action} {run}
              </strong>
              <span class="dim">by {name}</span>
              {skipped === undefined ? null : <Badge tone="warn">{skipped}</Badge>}
              <span class="right">
                <Instant at={next} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Supplies({ supplies }: { readonly supplies: NowAnswer['supplies'] }) {
  if (supplies === undefined) {
    return (
      <Panel title="Supplies">
        <Nothing>Not known: the stage could not be asked.</Nothing>
      </Panel>
    );
  }
  return (
    <Panel title="Supplies">
      <ul class="rows">
        {supplies.bindings.map(({ run, left, isLow, lastsUntil }) => (
          <li key={run} class="line">
            <strong>{run}</strong> <span class="dim">campaign run ids</span>
            <span class={`right ${isLow ? 'bad' : ''}`}>
              {isLow ? '▲ low: ' : ''}
              {left} left
              <EnoughUntil at={lastsUntil} />
            </span>
          </li>
        ))}
        {supplies.budgets.map(({ campaign, month, used, startsPerMonth }) => (
          <li key={campaign} class="line">
            <strong>{campaign}</strong> <span class="dim">starts of {month}</span>
            <span class={`right ${used >= startsPerMonth ? 'bad' : ''}`}>
              <progress max={startsPerMonth} value={used} aria-label={`Starts of ${campaign} in ${month}`} />{' '}
              {Math.max(0, startsPerMonth - used)} of {startsPerMonth} left
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The last start of its schedules that finds an id. */
function EnoughUntil({ at }: { readonly at: string | undefined }) {
  return at === undefined ? null : (
    <>
      , enough until <Time at={at} />
    </>
  );
}

/** The queues that hold something: most of the time none does. */
function Queues({ queues }: { readonly queues: NowAnswer['queues'] }) {
  const full = queues.filter(({ waiting, inFlight, delayed }) => waiting + inFlight + delayed > 0);
  if (full.length === 0) {
    return (
      <Panel title="Queues">
        <Nothing>Every queue is empty, and so is every dead-letter queue.</Nothing>
      </Panel>
    );
  }
  return (
    <Panel title="Queues">
      <Table label="Queues" head={['queue', 'waiting', 'in work', 'delayed']}>
        {full.map(({ name, isDeadLetter, waiting, inFlight, delayed }) => (
          <tr key={name} class={isDeadLetter && waiting > 0 ? 'bad' : ''}>
            <th scope="row">{name}</th>
            <td class="number">
              {isDeadLetter && waiting > 0 ? '▲ ' : ''}
              {waiting}
            </td>
            <td class="number">{inFlight}</td>
            <td class="number">{delayed}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Recent({ rows }: { readonly rows: NowAnswer['recent'] }) {
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
