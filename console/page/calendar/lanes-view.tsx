import { computed, type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { zone } from '../words/time.tsx';
import { hasStory, LaneRow, markSentence, percent } from './lane-row.tsx';
import type { Lane } from '../../nights/lanes.ts';
import type { Mark } from '../../nights/marks.ts';
import { nextMark, type Position, positionsOf } from './move-focus.ts';

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
        markSentence(shown.value)
      )}
    </p>
  );
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
