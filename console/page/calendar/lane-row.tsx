import { withInstants } from '#operator/readable.ts';
import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { linkTo, route } from '../connection/route.ts';
import { zone } from '../words/time.tsx';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { nightName } from '../../nights/times.ts';
import { fitted, laneNameOf, minutesOn, nameHeight, sideOf } from '../../nights/lane-names.ts';
import { type Lane, type LaneMark, minutesADay } from '../../nights/lanes.ts';
import { MarkShape } from './mark-shape.tsx';
import type { Mark } from '../../nights/marks.ts';

/** Lanes are so many pixels high, and more for each further track. */
const trackHeight = 18;
const padding = 10;

/** A place on the axis of a night. */
export const percent = (minutes: number) => `${((minutes / minutesADay) * 100).toFixed(3)}%`;

/** What a mark says, to read and to hear. */
export function markSentence(mark: Mark): string {
  const { at, action, run, state: word, reason, detail, by, until } = mark;
  const name = zone.value;
  const why = withInstants(detail ?? '', (instant) => dayAndTime(Date.parse(instant), name, at));
  const states = [
    word === 'applied' ? undefined : word,
    reason,
    until === undefined ? undefined : `until ${dayAndTime(until, name, at)}`,
  ];
  const state = states.filter(Boolean).join(' ');
  return [`${dayAndTime(at, name, at)} ${action} ${run}`, state, `by ${by}`, why].filter(Boolean).join(', ');
}

/** A night: its blackouts, runs and marks on one axis of 24 hours. */
export function LaneRow({
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
            class={`bar ${bar.tone} ${bar.isPlanned ? 'planned' : ''}`}
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
            side={sideOf(lane, index, minutesOf)}
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
export function hasStory({ action, isPlanned }: Mark): boolean {
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
      aria-label={markSentence(mark)}
      class={`mark ${mark.tone} ${mark.action} ${mark.isPlanned ? 'planned' : ''}`}
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
