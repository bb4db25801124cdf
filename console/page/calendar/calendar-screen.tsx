import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { CalendarAnswer } from '../../api.ts';
import { live } from '../connection/live.ts';
import { stagePath, withQuery } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Panel, ProblemNotes, Table } from '../frame/answer.tsx';
import { route, setQuery } from '../frame/route.ts';
import { stageNow, Time, zone } from '../words/time.tsx';
import { cli, CommandLine } from '../words/outcome.tsx';
import { bandEnd, bandName, lanesOf } from './lanes.ts';
import { LanesView } from './lanes-view.tsx';
import { MarksTable } from './marks-table.tsx';
import { marksOf } from './marks.ts';
import { addDays, startOfDay, wallClock } from '../words/times.ts';

/** Days before and after the one that the calendar is about. */
const reach = 14;

/** What was in the last 14 days and what would be in the next 14, on one axis; the same as a table below. */
export function CalendarScreen() {
  const { now, problem } = live.value;
  // The stage's own day is the middle: that of a local run can be moved.
  return now === undefined && problem === undefined ? <p class="dim">Reading…</p> : <Period />;
}

/** The day of the stage, and a step of its time: what stands at a time moves with them, and nothing does each second. */
const today = computed(() => wallClock(stageNow.value, zone.value).date);
const stepMs = 5 * 60_000;
const nowStep = computed(() => Math.floor(stageNow.value / stepMs) * stepMs);

/** The date is in the address, so that the same days open again; without one it is today, also tomorrow. */
function Period() {
  const { stage, query } = route.value;
  const name = zone.value;
  const around = shownDate(query.get('around')) ?? today.value;
  const [from, until] = [startOfDay(addDays(around, -reach), name), startOfDay(addDays(around, reach + 1), name)];
  const asked = useAnswer<CalendarAnswer>(
    withQuery(stagePath(stage, 'calendar'), {
      from: new Date(from).toISOString(),
      until: new Date(until).toISOString(),
    }),
    { isFollowed: true },
  );
  const show = (date: string) => setQuery({ around: date === today.value ? undefined : date });
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => show(addDays(around, -reach))}>
          ← 14 days back
        </button>
        <button type="button" onClick={() => show(today.value)} disabled={around === today.value}>
          Today
        </button>
        <button type="button" onClick={() => show(addDays(around, reach))}>
          14 days on →
        </button>
        <label>
          Around{' '}
          <input
            type="date"
            value={around}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') show(value);
            }}
          />
        </label>
        <Legend />
      </p>
      <Answer asked={asked}>{(answer) => <Shown answer={answer} from={from} until={until} />}</Answer>
      <CommandLine line={cli('plan')} />
    </>
  );
}

/** A date of the address; undefined if it is none. */
function shownDate(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

function Shown({
  answer,
  from,
  until,
}: {
  readonly answer: CalendarAnswer;
  readonly from: number;
  readonly until: number;
}) {
  const name = zone.value;
  const now = Math.max(nowStep.value, Date.parse(answer.now));
  const lanes = useMemo(
    () => lanesOf(answer, { from, until: until - 1, now, zone: name }),
    [answer, from, until, now, name],
  );
  const marks = useMemo(() => marksOf(answer).filter(({ at }) => at >= from && at < until), [answer, from, until]);
  const wanted = useSignal<string | undefined>(undefined);
  return (
    <>
      <ProblemNotes problems={answer.problems} />
      <Notes answer={answer} />
      <LanesView lanes={lanes} now={now} onPlanned={(mark) => (wanted.value = mark.key)} />
      <HeldBack answer={answer} />
      <h2>The same as a table</h2>
      <MarksTable marks={marks} now={now} wanted={wanted} />
    </>
  );
}

/** What is not shown, and clocks that change. */
function Notes({ answer: { cutAt, pastCutAt, clockChanges, unread } }: { readonly answer: CalendarAnswer }) {
  return (
    <>
      {pastCutAt === undefined ? null : (
        <p class="note warn">
          ◆ Nothing is shown before <Time at={pastCutAt} />: there are more commands than one answer holds.
        </p>
      )}
      {cutAt === undefined ? null : (
        <p class="note warn">
          ◆ Nothing is known after <Time at={cutAt} />: there are more occurrences than one question takes.
        </p>
      )}
      {clockChanges.map(({ schedule, kind, local, timezone }) => (
        <p key={`${schedule} ${local}`} class="note warn">
          ◆ {schedule}: the clock of {timezone} {kind === 'skipped' ? 'skips' : 'repeats'} {local}.
        </p>
      ))}
      {unread.map(({ campaign, why }) => (
        <p key={campaign} class="note warn">
          ◆ {campaign} could not be read: {why}
        </p>
      ))}
    </>
  );
}

/** What holds starts back in this period, in words: the hatching and the lines of the lanes say no name. */
function HeldBack({ answer: { blackouts, bands } }: { readonly answer: CalendarAnswer }) {
  if (blackouts.length + bands.length === 0) return null;
  return (
    <Panel title="What holds starts back" count={blackouts.length + bands.length}>
      <Table label="Blackouts, freezes and pauses" head={['from', 'until', 'what', 'why']}>
        {blackouts.map(({ name, starts, campaigns, from, until }) => (
          <tr key={`${name} ${from}`}>
            <td>
              <Time at={from} />
            </td>
            <td>
              <Time at={until} />
            </td>
            <th scope="row">blackout {name}</th>
            <td class="words">
              starts {campaigns === undefined ? '' : `of ${campaigns.join(', ')} `}are{' '}
              {starts === 'skip' ? 'skipped' : 'deferred until its end'}
            </td>
          </tr>
        ))}
        {bands.map((band) => (
          <tr key={`${bandName(band)} ${band.from}`}>
            <td>
              <Time at={band.from} />
            </td>
            <td>
              <Time at={bandEnd(band) ?? ''} />
            </td>
            <th scope="row">{bandName(band)}</th>
            <td class="words">
              by {band.by}: {band.reason}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

const legend = [
  ['●', 'start'],
  ['■', 'stop'],
  ['◆', 'skipped'],
  ['◇', 'deferred'],
  ['▲', 'parked'],
  ['┄', 'planned'],
  ['▨', 'blackout'],
  ['▀', 'frozen'],
  ['╍', 'paused'],
] as const;

function Legend() {
  return (
    <span class="legend dim">
      {legend.map(([shape, name]) => (
        <span key={name}>
          <span aria-hidden="true">{shape}</span> {name}
        </span>
      ))}
    </span>
  );
}
