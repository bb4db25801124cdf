import { linkTo, route } from '../connection/route.ts';
import { StateChip } from '../words/outcome.tsx';
import { Time } from '../words/time.tsx';
import { nightName } from '../../nights/times.ts';
import { hasStory } from './lane-row.tsx';
import type { Lane, LaneMark } from '../../nights/lanes.ts';

/** The nights as a list. */
export function NightList({ lanes }: { readonly lanes: readonly Lane[] }) {
  return (
    <ul class="panel rows nights">
      {lanes.map(({ date, marks, names, now }) => (
        <li key={date} class={now === undefined ? '' : 'tonight'}>
          <strong>{nightName(date)}</strong>
          {now === undefined ? null : <span class="dim"> tonight</span>}
          {names.map(({ says }) => (
            <p key={says} class="warn">
              {says}
            </p>
          ))}
          {marks.length === 0 ? (
            <p class="dim">nothing</p>
          ) : (
            marks.map((placed) => <Line key={placed.mark.key} {...placed} />)
          )}
        </li>
      ))}
    </ul>
  );
}

function Line({ mark }: LaneMark) {
  const { at, action, run, id, state, tone, reason } = mark;
  const text = action === 'start' ? run : `stop ${run}`;
  return (
    <div class="line">
      <Time at={new Date(at).toISOString()} isShort />
      {hasStory(mark) ? <a href={linkTo(route.value.stage, 'run', id)}>{text}</a> : <span>{text}</span>}
      <span class="right">
        <StateChip state={state} tone={tone} /> {reason}
      </span>
    </div>
  );
}
