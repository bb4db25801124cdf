import { useEffect, useRef } from 'preact/hooks';
import { linkTo, route } from '../connection/route.ts';
import { StateChip } from '../words/outcome.tsx';
import { Sentence, Time } from '../words/time.tsx';
import type { Lane } from '../../nights/lanes.ts';
import type { Mark } from '../../nights/marks.ts';
import { nightName } from '../../nights/times.ts';
import { hasStory } from './lane-row.tsx';

/**
 * The nights as a list, for a phone and for those who read rather than look.
 * @param wanted - the key of a mark whose line takes the focus
 */
export function NightList({
  lanes,
  wanted,
}: {
  readonly lanes: readonly Lane[];
  readonly wanted?: string | undefined;
}) {
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
            marks.map(({ mark }) => <Line key={mark.key} mark={mark} isWanted={mark.key === wanted} />)
          )}
        </li>
      ))}
    </ul>
  );
}

function Line({ mark, isWanted }: { readonly mark: Mark; readonly isWanted: boolean }) {
  const { at, action, run, id, state, tone, reason, detail, until, by, isPlanned } = mark;
  const text = action === 'start' ? run : `stop ${run}`;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isWanted) place.current?.focus();
  }, [isWanted]);
  return (
    <div ref={place} class={isWanted ? 'wanted' : ''} tabIndex={isWanted ? -1 : undefined}>
      <div class="line">
        <Time at={new Date(at).toISOString()} isShort />
        {hasStory(mark) ? <a href={linkTo(route.value.stage, 'run', id)}>{text}</a> : <span>{text}</span>}
        <span class="wide dim">by {by}</span>
        <span class="right">
          {/* Of what is to come nothing is good yet. */}
          <StateChip state={state} tone={isPlanned && tone === 'good' ? 'plain' : tone} /> {reason}
          {until === undefined ? null : (
            <span class="dim">
              {' '}
              until <Time at={new Date(until).toISOString()} />
            </span>
          )}
        </span>
      </div>
      {detail === undefined ? null : (
        <p class="words dim">
          <Sentence text={detail} />
        </p>
      )}
    </div>
  );
}
