import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CalendarAnswer } from '../../api.ts';
import { live } from '../connection/live.ts';
import { stagePath, withQuery } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Panel, ProblemNotes, Table } from '../frame/answer.tsx';
import { route, setQuery } from '../connection/route.ts';
import { Sentence, stageNow, Time, zone } from '../words/time.tsx';
import { cli, CommandLine } from '../words/outcome.tsx';
import { bandEnd, bandName, type Lane, lanesOf } from '../../nights/lanes.ts';
import { endsOf } from '#operator/run-state/run-groups.ts';
import { isNarrow } from '../frame/narrow.ts';
import { NightList } from './night-list.tsx';
import { Legend } from './legend.tsx';
import { LanesView } from './lanes-view.tsx';
import { notesOf } from '../../nights/marks.ts';
import { addDays, instantOfWall, nightClock } from '../../nights/times.ts';

/** Nights before and after the one that the calendar is about. */
const reach = 14;

/** Tonight and the next 14 nights on one axis, and the 14 before below a fold; the same as a list. */
export function CalendarScreen() {
  const { now, problem } = live.value;
  // The stage's own day is the middle: that of a local run can be moved.
  return now === undefined && problem === undefined ? <p class="dim">Reading…</p> : <Period />;
}

/** The night of the stage, and a step of its time: what stands at a time moves with them, and nothing does each second. */
const tonight = computed(() => nightClock(stageNow.value, zone.value).date);
const stepMs = 5 * 60_000;
const nowStep = computed(() => Math.floor(stageNow.value / stepMs) * stepMs);

/** The night and the run are in the address, so that the same opens again; without a night it is this one, also tomorrow. */
function Period() {
  const { stage, query } = route.value;
  const name = zone.value;
  const night = shownDate(query.get('night')) ?? tonight.value;
  const noonOf = (date: string) => instantOfWall(`${date}T12:00`, name);
  const [from, until] = [noonOf(addDays(night, -reach)), noonOf(addDays(night, reach + 1))];
  const asked = useAnswer<CalendarAnswer>(
    withQuery(stagePath(stage, 'calendar'), {
      from: new Date(from).toISOString(),
      until: new Date(until).toISOString(),
    }),
    { isFollowed: true },
  );
  const show = (date: string) => setQuery({ night: date === tonight.value ? undefined : date });
  const run = query.get('run') ?? '';
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={() => show(addDays(night, -reach))}>
          ← 14 nights back
        </button>
        <button type="button" onClick={() => show(tonight.value)} disabled={night === tonight.value}>
          Tonight
        </button>
        <button type="button" onClick={() => show(addDays(night, reach))}>
          14 nights on →
        </button>
        <label>
          Night{' '}
          <input
            type="date"
            value={night}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') show(value);
            }}
          />
        </label>
        <label>
          Run{' '}
          <select aria-label="Run" value={run} onChange={({ currentTarget }) => setQuery({ run: currentTarget.value })}>
            <option value="">all</option>
            {runsOf(asked.answer, run).map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Answer asked={asked}>
        {(answer) => <Shown answer={answer} only={run} night={night} from={from} until={until} />}
      </Answer>
      <CommandLine line={cli('plan')} />
    </>
  );
}

/** The runs that can be chosen, also that of the address. */
function runsOf(answer: CalendarAnswer | undefined, chosen: string): readonly string[] {
  const past = (answer?.past ?? []).flatMap(({ name }) => name ?? []);
  const all = [...past, ...(answer?.planned ?? []).flatMap(({ run }) => run ?? [])];
  return [...new Set(chosen === '' ? all : [...all, chosen])].toSorted();
}

/** A date of the address; undefined if it is none. */
function shownDate(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

function Shown({
  answer: all,
  only,
  night,
  from,
  until,
}: {
  readonly answer: CalendarAnswer;
  /** A run; empty for all. */
  readonly only: string;
  /** The first that stands above the fold. */
  readonly night: string;
  readonly from: number;
  readonly until: number;
}) {
  const name = zone.value;
  const answer = useMemo(() => (only === '' ? all : ofRun(all, only)), [all, only]);
  const now = Math.max(nowStep.value, Date.parse(answer.now));
  const lanes = useMemo(
    () => lanesOf(answer, { from, until: until - 1, now, zone: name }),
    [answer, from, until, now, name],
  );
  const wanted = useSignal<string | undefined>(undefined);
  // Of the same lanes the same lists: a click on a mark draws no lane again.
  const [coming, past] = useMemo(
    () => [lanes.filter(({ date }) => date >= night), lanes.filter(({ date }) => date < night).toReversed()] as const,
    [lanes, night],
  );
  const nights = (some: readonly Lane[]) =>
    isNarrow.value ? (
      <NightList lanes={some} />
    ) : (
      <LanesView lanes={some} now={now} onPlanned={(mark) => (wanted.value = mark.key)} />
    );
  return (
    <>
      <ProblemNotes problems={answer.problems} />
      {notesOf(answer).map((note) => (
        <p key={note} class="note warn">
          ◆ <Sentence text={note} />
        </p>
      ))}
      {isNarrow.value ? null : <Legend />}
      {nights(coming)}
      <Fold
        says={`${past.length} nights before: ${endsOf(answer.past.flatMap(({ run }) => run ?? [])) ?? 'no run ended'}`}
      >
        {nights(past)}
      </Fold>
      <Blocked answer={answer} />
      {isNarrow.value ? null : (
        <Fold says="The same as a list" wanted={wanted.value}>
          <NightList lanes={[...coming, ...past]} wanted={wanted.value} />
        </Fold>
      )}
    </>
  );
}

/** A part that is drawn once it is opened: 2,000 marks take more than a second. */
function Fold({
  says,
  wanted,
  children,
}: {
  readonly says: string;
  /** Of what is wanted in it: opens it. */
  readonly wanted?: string | undefined;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (wanted !== undefined) setOpen(true);
  }, [wanted]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{says}</summary>
      {isOpen ? children : null}
    </details>
  );
}

function ofRun(answer: CalendarAnswer, only: string): CalendarAnswer {
  const past = answer.past.filter(({ name }) => name === only);
  return { ...answer, past, planned: answer.planned.filter(({ run }) => run === only) };
}

/** What blocks starts in this period, in words: the hatching and the lines of the lanes say no name. */
function Blocked({ answer: { blackouts, bands } }: { readonly answer: CalendarAnswer }) {
  if (blackouts.length + bands.length === 0) return null;
  return (
    <Panel title="What blocks starts" count={blackouts.length + bands.length}>
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
