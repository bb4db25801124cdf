import type { ScoresAnswer } from '../../api.ts';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { linkTo, route } from '../connection/route.ts';
import { stageNow, zone } from '../words/time.tsx';

type Ends = ScoresAnswer['runs'][number]['ends'];

/** The drawing has this size in its own units, and takes the width that is there. */
const width = 300;
const height = 60;
const edge = 6;

/** Where each complete run stands in the drawing, the earliest first. Pure. */
function pointsOf(ends: Ends) {
  const complete = ends.flatMap((end) =>
    end.state === 'complete' && end.score !== undefined ? [{ ...end, score: end.score }] : [],
  );
  const step = (width - 2 * edge) / Math.max(1, complete.length - 1);
  return complete.toReversed().map((end, index) => ({
    ...end,
    x: edge + index * step,
    y: height - edge - (Math.max(0, Math.min(100, end.score)) / 100) * (height - 2 * edge),
  }));
}

/** The scores of a run name as a line: a point opens its run, and an upright mark stands before one that something changed for. */
export function ScoreLine({ run, ends }: { readonly run: string; readonly ends: Ends }) {
  const points = pointsOf(ends);
  if (points.length < 2) return null;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Scores of ${run}`}
      style={{ width: '100%', maxWidth: '40rem' }}
    >
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} fill="none" stroke="currentColor" />
      {points.map(({ startId, startAt, score, changed, x, y }) => (
        <g key={startId}>
          {changed.length === 0 ? null : (
            <line x1={x - edge} x2={x - edge} y1={0} y2={height} stroke="currentColor" stroke-dasharray="2 2">
              <title>{changed.join('; ')}</title>
            </line>
          )}
          <a
            href={linkTo(route.value.stage, 'run', startId)}
            aria-label={`${dayAndTime(Date.parse(startAt), zone.value, stageNow.peek())}: score ${score}`}
          >
            <circle cx={x} cy={y} r={12} class="target" />
            <circle cx={x} cy={y} r={4} fill="currentColor" />
          </a>
        </g>
      ))}
    </svg>
  );
}
