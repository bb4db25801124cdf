/** The calendar of a report, drawn without a script: the lanes of the console's Calendar, a day each. */
import { html } from 'hono/html';
import { visibleText } from '#shared/text/visible-text.ts';
import { type Lane, type LaneMark, minutesADay } from '../nights/lanes.ts';
import { laneNameOf, minutesOn, nameHeight, sideOf } from '../nights/lane-names.ts';
import type { Mark } from '../nights/marks.ts';
import { nightName } from '../nights/times.ts';
import type { Fragment } from '../html-file.ts';

/** Pixels of one track of bars. */
const trackHeight = 20;

/** Minutes: a shorter bar has no room for the name of its run. */
const leastForName = 150;

const percent = (minutes: number) => `${((100 * minutes) / minutesADay).toFixed(2)}%`;

const hours = ['12', '15', '18', '21', '00', '03', '06', '09'] as const;

/** Draws the lanes, the oldest first. What each shape means stands below them; the same stands in the table of commands. */
export function lanesSvg(lanes: readonly Lane[]): Fragment {
  return html`<svg width="0" height="0" aria-hidden="true">
      <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="6" class="hatch" />
      </pattern>
    </svg>
    <div class="wide" role="region" aria-label="Calendar, a line for each day" tabindex="0">
      <div class="lanes">
        <div class="lane dim">
          <span class="day"></span><span class="hours">${hours.map((hour) => html`<span>${hour}</span>`)}</span>
        </div>
        ${lanes.map(laneOf)}
      </div>
    </div>
    <p class="dim">
      ● start ■ stop ◆ skipped, or not sure ◇ deferred ▲ failed or parked. Hollow: planned. A bar: a run; dashed:
      planned. Hatched: a blackout. Tinted: frozen. A line on top: paused.
    </p>`;
}

function laneOf(lane: Lane): Fragment {
  const top = lane.names.length * nameHeight;
  const height = top + lane.tracks * trackHeight + 6;
  return html`<div class="lane">
    <span class="day">${nightName(lane.date)}</span>
    <svg class="track" height="${height}" role="img" aria-label="${summaryOf(lane)}">
      ${lane.blackouts.map(
        ({ from, until, says }) =>
          html`<rect x="${percent(from)}" width="${percent(until - from)}" height="${height}" fill="url(#hatch)"
            ><title>${visibleText(says)}</title></rect
          >`,
      )}
      ${lane.bands.map(
        ({ from, until, says, kind }) =>
          html`<rect
            class="held ${kind}"
            x="${percent(from)}"
            width="${percent(until - from)}"
            height="${kind === 'frozen' ? height : 3}"
            ><title>${visibleText(says)}</title></rect
          >`,
      )}
      ${lane.bars.map(
        ({ from, until, track, bar }) =>
          html`<rect
            class="bar ${bar.tone} ${bar.isPlanned ? 'planned' : ''}"
            x="${percent(from)}"
            width="${percent(until - from)}"
            y="${top + track * trackHeight + 6}"
            height="14"
            rx="2"
            ><title>${visibleText(bar.run)}</title></rect
          >`,
      )}
      ${lane.bars
        .filter(({ from, until }) => until - from >= leastForName)
        .map(
          ({ from, track, bar }) =>
            html`<text class="run" x="${percent(from)}" dx="8" y="${top + track * trackHeight + 17}"
              >${visibleText(bar.run)}</text
            >`,
        )}
      ${lane.marks.map((mark, index) => markOf(mark, index, { lane, top }))} ${lane.names.map(nameOf)}
      ${lane.now === undefined ? '' : html`<rect class="now" x="${percent(lane.now)}" width="2" height="${height}" />`}
    </svg>
  </div>`;
}

function nameOf({ minutes, says }: Lane['names'][number], index: number): Fragment {
  const isLate = minutes > minutesADay / 2;
  return html`<text
    class="run"
    x="${percent(minutes)}"
    y="${(index + 1) * nameHeight - 2}"
    text-anchor="${isLate ? 'end' : 'start'}"
    >${visibleText(says)}</text
  >`;
}

/** What the shapes of a lane say, for those who do not see them. */
function summaryOf({ date, marks }: Lane): string {
  const said = marks.map(
    ({ mark }) => `${mark.action} ${mark.run} ${mark.state}${mark.reason === undefined ? '' : ` ${mark.reason}`}`,
  );
  return visibleText(`${nightName(date)}: ${said.length === 0 ? 'nothing' : said.join(', ')}`);
}

/** The shapes are letters of a font, so that they stand at a percentage without being stretched. Of what is planned they are hollow. */
function shapeOf({ tone, action, isDeferred, isPlanned }: Mark): string {
  if (tone === 'bad') return isPlanned ? '△' : '▲';
  if (isDeferred || tone === 'warn') return isPlanned || isDeferred ? '◇' : '◆';
  if (action === 'stop') return isPlanned ? '□' : '■';
  return isPlanned || tone === 'plain' ? '○' : '●';
}

/** On the narrowest screen that a report is read on. */
const minutesOf = minutesOn(390);

function markOf(
  { mark, minutes, track }: LaneMark,
  index: number,
  { lane, top }: { readonly lane: Lane; readonly top: number },
): Fragment {
  const words = laneNameOf(mark);
  const side = sideOf(lane, index, minutesOf);
  const shape = shapeOf(mark);
  const shown = { start: `${shape} ${words}`, end: `${words} ${shape}`, none: shape }[side ?? 'none'];
  return html`<text
    class="mark ${mark.tone}"
    x="${percent(minutes)}"
    y="${top + track * trackHeight + 18}"
    text-anchor="${side ?? 'middle'}"
    >${visibleText(shown)}</text
  >`;
}

export const laneStyle = `
.lane { display: flex; align-items: center; border-top: 1px solid var(--line); }
.day { flex: none; width: 6.5rem; }
.hours { display: flex; flex: 1; } .hours span { flex: 1; }
.track { flex: 1; display: block; width: 100%; overflow: visible; }
.bar { fill: var(--soft); } .bar.bad { fill: var(--bad); fill-opacity: 0.3; } .bar.planned { fill: none; stroke: var(--accent); stroke-dasharray: 4 3; }
.held { fill: var(--warn); } .held.frozen { fill-opacity: 0.15; } .hatch { fill: var(--line); } .now { fill: var(--text); }
.run { fill: var(--text); font-size: 11px; }
.mark { fill: var(--accent); font-size: 11px; } .mark.bad { fill: var(--bad); } .mark.warn { fill: var(--warn); }
@media (max-width: 40rem) { .lane { flex-wrap: wrap; padding-top: 0.2rem; } .day { width: 100%; font-size: 12px; } }
`;
