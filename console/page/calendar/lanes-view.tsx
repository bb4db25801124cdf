import { withInstants } from '#operator/readable.ts';
import { computed, type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { linkTo, route } from '../frame/route.ts';
import { zone } from '../words/time.tsx';
import { dayAndTime } from '#operator/times/written-times.ts';
import { nightName } from '../words/times.ts';
import { type Lane, type LaneMark, minutesADay } from './lanes.ts';
import { fitted, laneNameOf, minutesOn, nameHeight, sideOf } from './lane-names.ts';
import { MarkShape } from './marks-table.tsx';
import { type Mark, stateOf } from './marks.ts';
import { nextMark, type Position, positionsOf } from './move-focus.ts';

/** Lanes are so many pixels high, and more for each further track. */
const trackHeight = 18;
const padding = 10;

const percent = (minutes: number) => `${((minutes / minutesADay) * 100).toFixed(3)}%`;

/**
 * One lane a night. Arrow keys move over the marks: left and right in time, up and down to the
 * nearest of another night. What the pointer and the keys change are signals, so only what shows them
 * is drawn again. With 2,000 marks, all of them took a quarter of a second.
 */
export function LanesView({
  lanes,
  now,
  onPlanned,
}: {
  readonly lanes: readonly Lane[];
  readonly now: number;
  /** A planned mark has no story: a click on it shows its row. */
  readonly onPlanned: (mark: Mark) => void;
}) {
  const current = useSignal<string | undefined>(undefined);
  const shown = useSignal<Mark | undefined>(undefined);
  const width = useSignal(usualWidth);
  const place = useRef<HTMLDivElement>(null);
  const positions = useMemo(() => positionsOf(lanes), [lanes]);
  const entry = useMemo(() => entryOf(positions, now, current), [positions, now, current]);
  const look = useMemo(() => lookWith(current, shown), [current, shown]);
  useLayoutEffect(() => followWidth(place.current, width), [width]);
  const move = (event: KeyboardEvent) => {
    const next = nextMark(positions, entry.value, event.key);
    if (next === undefined) return;
    event.preventDefault();
    current.value = next.mark.key;
    place.current?.querySelector<SVGAElement>(`a[data-mark="${CSS.escape(next.mark.key)}"]`)?.focus();
  };
  const open = (event: MouseEvent) => {
    const key = (event.target as Element).closest('a')?.dataset['mark'];
    const found = positions.find(({ mark }) => mark.key === key)?.mark;
    if (found === undefined || hasStory(found)) return;
    event.preventDefault();
    onPlanned(found);
  };
  return (
    <div class="panel calendar">
      <Detail shown={shown} />
      <Hours />
      <Hatch />
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- the links inside take the focus; their keys and clicks are heard here once */}
      <div ref={place} onKeyDown={move} onClick={open}>
        {lanes.map((lane) => (
          <LaneRow key={lane.date} lane={lane} entry={entry} look={look} width={width} />
        ))}
      </div>
    </div>
  );
}

/** Pixels of a day before the first look at the window. */
const usualWidth = 1_000;

/** Keeps the width of a lane, on which the room of a name depends. */
function followWidth(place: HTMLDivElement | null, width: Signal<number>): (() => void) | undefined {
  const lane = place?.querySelector('.lane > svg');
  if (lane === null || lane === undefined) return undefined;
  const observer = new ResizeObserver(() => (width.value = Math.round(lane.getBoundingClientRect().width)));
  observer.observe(lane);
  return () => observer.disconnect();
}

/** One mark is in the order of the Tab key: the current, else the first that is due. */
function entryOf(positions: readonly Position[], now: number, current: ReadonlySignal<string | undefined>) {
  const due = positions.find(({ mark }) => mark.at >= now) ?? positions.at(-1);
  return computed(() => (positions.find(({ mark }) => mark.key === current.value) ?? due)?.mark.key);
}

function lookWith(current: Signal<string | undefined>, shown: Signal<Mark | undefined>) {
  return (mark: Mark) => {
    current.value = mark.key;
    shown.value = mark;
  };
}

function Detail({ shown }: { readonly shown: ReadonlySignal<Mark | undefined> }) {
  return (
    <p class="detail" role="status">
      {shown.value === undefined ? (
        <span class="dim">Arrow keys move over the marks. Enter opens a start, or the line of what is planned.</span>
      ) : (
        sentence(shown.value)
      )}
    </p>
  );
}

/** What a mark says, to read and to hear. */
function sentence(mark: Mark): string {
  const { at, action, run, outcome, isPlanned, reason, detail, by, until } = mark;
  const name = zone.value;
  const why = withInstants(detail ?? '', (instant) => dayAndTime(Date.parse(instant), name, at));
  const states = [
    isPlanned || outcome !== 'applied' ? stateOf(mark) : undefined,
    reason,
    until === undefined ? undefined : `until ${dayAndTime(until, name, at)}`,
  ];
  const state = states.filter(Boolean).join(' ');
  return [`${dayAndTime(at, name, at)} ${action} ${run}`, state, `by ${by}`, why].filter(Boolean).join(', ');
}

function Hours() {
  return (
    <div class="lane hours" aria-hidden="true">
      <span class="zone-name">{zone.value}</span>
      <svg width="100%" height="16">
        {[12, 15, 18, 21, 0, 3, 6, 9].map((hour, index) => (
          <text key={hour} x={percent(index * 180)} y="12">
            {String(hour).padStart(2, '0')}
          </text>
        ))}
      </svg>
    </div>
  );
}

/** The hatching of blackouts, once for all lanes. */
function Hatch() {
  return (
    <svg width="0" height="0" class="definitions" aria-hidden="true">
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2" height="6" class="hatch-line" />
        </pattern>
      </defs>
    </svg>
  );
}

function LaneRow({
  lane,
  entry,
  look,
  width,
}: {
  readonly lane: Lane;
  readonly entry: ReadonlySignal<string | undefined>;
  readonly look: (mark: Mark) => void;
  readonly width: ReadonlySignal<number>;
}) {
  // Changes for the two lanes that the entry leaves and reaches: the others are not drawn again.
  const ownEntry = useMemo(
    () => computed(() => lane.marks.find(({ mark }) => mark.key === entry.value)?.mark.key),
    [lane, entry],
  );
  const entryId = ownEntry.value;
  const top = lane.names.length * nameHeight;
  const height = top + lane.tracks * trackHeight + padding;
  const middle = (track: number) => top + padding / 2 + track * trackHeight + trackHeight / 2;
  const minutesOf = minutesOn(width.value);
  const name = nightName(lane.date);
  return (
    <div class={lane.now === undefined ? 'lane' : 'lane today'}>
      <span class="day">{name}</span>
      <svg width="100%" height={height} role="group" aria-label={name}>
        {[6, 12, 18].map((hour) => (
          <line key={hour} class="hour" x1={percent(hour * 60)} x2={percent(hour * 60)} y1="0" y2={height} />
        ))}
        {lane.bands.map(({ from, until, says, kind }) => (
          <Band key={`${from} ${says}`} band={{ from, until, says, kind }} height={height} />
        ))}
        {lane.blackouts.map(({ from, until, says }) => (
          <rect
            key={`${from} ${says}`}
            class="blackout"
            x={percent(from)}
            width={percent(until - from)}
            y="0"
            height={height}
          >
            <title>{says}</title>
          </rect>
        ))}
        {lane.names.map(({ minutes, says }, index) => {
          const { text, isLate } = fitted(says, minutes, minutesOf);
          return (
            <svg key={says} x={percent(minutes)} y={(index + 1) * nameHeight} class="place">
              <text x={isLate ? -4 : 4} text-anchor={isLate ? 'end' : 'start'} aria-hidden="true">
                {text}
              </text>
            </svg>
          );
        })}
        {lane.bars.map(({ bar, from, until, track }) => (
          <rect
            key={`${bar.startId} ${bar.isPlanned}`}
            class={bar.isPlanned ? 'bar planned' : 'bar'}
            x={percent(from)}
            width={percent(until - from)}
            y={middle(track) - 7}
            height="14"
            rx="2"
          >
            <title>{bar.run}</title>
          </rect>
        ))}
        {lane.bars
          .filter(({ bar, from, until }) => until - from > minutesOf(bar.run))
          .map(({ bar, from, track }) => (
            <svg key={`${bar.startId} ${bar.isPlanned}`} x={percent(from)} y={middle(track)}>
              <text class="name" x="9" y="4" aria-hidden="true">
                {bar.run}
              </text>
            </svg>
          ))}
        {lane.now === undefined ? null : (
          <line class="now" x1={percent(lane.now)} x2={percent(lane.now)} y1="0" y2={height} />
        )}
        {lane.marks.map((placed, index) => (
          <MarkLink
            key={placed.mark.key}
            placed={placed}
            y={middle(placed.track)}
            isEntry={placed.mark.key === entryId}
            side={sideOf(lane.marks, index, minutesOf)}
            look={look}
          />
        ))}
      </svg>
    </div>
  );
}

function Band({
  band: { from, until, says, kind },
  height,
}: {
  readonly band: Lane['bands'][number];
  readonly height: number;
}) {
  const place = { x: percent(from), width: percent(until - from), y: 0 };
  return kind === 'frozen' ? (
    <g class="frozen">
      <rect {...place} height={height} class="tint" />
      <rect {...place} height="3" class="held">
        <title>{says}</title>
      </rect>
    </g>
  ) : (
    <line x1={percent(from)} x2={percent(until)} y1="2" y2="2" class="paused held">
      <title>{says}</title>
    </line>
  );
}

/** A start that was asked for has a story. */
function hasStory({ action, isPlanned }: Mark): boolean {
  return action === 'start' && !isPlanned;
}

function MarkLink({
  placed: { mark, minutes },
  y,
  isEntry,
  side,
  look,
}: {
  readonly placed: LaneMark;
  readonly y: number;
  readonly isEntry: boolean;
  readonly side?: 'start' | 'end';
  readonly look: (mark: Mark) => void;
}) {
  const { stage } = route.value;
  const href = hasStory(mark) ? linkTo(stage, 'run', mark.id) : linkTo(stage, 'calendar');
  return (
    <a
      href={href}
      data-mark={mark.key}
      // SVG knows an attribute by its exact letters: `tabIndex` would be none.
      tabindex={isEntry ? 0 : -1}
      aria-label={sentence(mark)}
      class={`mark ${mark.outcome} ${mark.action} ${mark.isPlanned ? 'planned' : ''}`}
      onFocus={() => look(mark)}
      onMouseEnter={() => look(mark)}
    >
      <svg x={percent(minutes)} y={y} class="place">
        <MarkShape mark={mark} />
        {side === undefined ? null : (
          <text x={side === 'start' ? 9 : -9} y="4" text-anchor={side}>
            {laneNameOf(mark)}
          </text>
        )}
      </svg>
    </a>
  );
}
