import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Nothing, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { StateChip } from '../words/outcome.tsx';
import { Sentence, Time } from '../words/time.tsx';
import type { Mark } from '../../nights/marks.ts';

/** Rows of a table that is not shown whole: 2,000 of them took more than a second. */
const pageRows = 100;

/** Rows of the past that stand above the row of now. */
const rowsBefore = 20;

/**
 * Every mark as a row, for those who read rather than look. The row of now parts what was from what would be.
 * @param wanted - the key of a mark whose row is to be shown
 */
export function MarksTable({
  marks,
  now,
  wanted,
}: {
  readonly marks: readonly Mark[];
  readonly now: number;
  readonly wanted: ReadonlySignal<string | undefined>;
}) {
  const place = useRef<HTMLDivElement>(null);
  const past = marks.filter(({ at }) => at <= now).length;
  const [chosen, setChosen] = useState<number>();
  const last = Math.max(0, marks.length - pageRows);
  const begin = Math.min(last, Math.max(0, chosen ?? past - rowsBefore));
  const key = wanted.value;
  useEffect(() => {
    const index = marks.findIndex((mark) => mark.key === key);
    if (index !== -1) setChosen(index - 1);
  }, [key, marks]);
  useEffect(() => {
    if (key !== undefined) place.current?.querySelector<HTMLElement>('tr.wanted')?.focus();
  }, [key, begin]);
  if (marks.length === 0) return <Nothing>Nothing was requested and nothing is planned in this period.</Nothing>;
  const shown = marks.slice(begin, begin + pageRows);
  const above = Math.max(0, past - begin);
  return (
    <div ref={place}>
      <Table label="Commands of the period" head={['when', 'command', 'outcome', 'why', 'requested by']}>
        {shown.slice(0, above).map((mark) => (
          <Row key={mark.key} mark={mark} isWanted={mark.key === key} />
        ))}
        {above > shown.length ? null : (
          <tr class="now">
            <td colSpan={5}>
              <strong>now</strong> <Time at={new Date(now).toISOString()} />
            </td>
          </tr>
        )}
        {shown.slice(above).map((mark) => (
          <Row key={mark.key} mark={mark} isWanted={mark.key === key} />
        ))}
      </Table>
      {marks.length <= pageRows ? null : (
        <p class="buttons">
          <button type="button" disabled={begin === 0} onClick={() => setChosen(Math.max(0, begin - pageRows))}>
            Rows before
          </button>
          <button type="button" disabled={begin === last} onClick={() => setChosen(begin + pageRows)}>
            Rows after
          </button>
          <span class="dim">
            {begin + 1} to {begin + shown.length} of {marks.length}
          </span>
        </p>
      )}
    </div>
  );
}

function Row({ mark, isWanted }: { readonly mark: Mark; readonly isWanted: boolean }) {
  const text = `${mark.action} ${mark.run}`;
  return (
    <tr class={isWanted ? 'wanted' : ''} tabIndex={isWanted ? -1 : undefined}>
      <td>
        <Time at={new Date(mark.at).toISOString()} />
      </td>
      <th scope="row">
        {mark.action === 'start' && !mark.isPlanned ? (
          <a href={linkTo(route.value.stage, 'run', mark.id)}>{text}</a>
        ) : (
          text
        )}
      </th>
      <td>
        <StateChip state={mark.state} tone={mark.tone} /> {mark.reason}
        {mark.until === undefined ? null : (
          <span class="dim">
            {' '}
            until <Time at={new Date(mark.until).toISOString()} />
          </span>
        )}
      </td>
      <td class="words">
        <Sentence text={mark.detail} />
      </td>
      <td>{mark.by}</td>
    </tr>
  );
}

/** The shape of a mark, around its own zero. Each kind of end has a shape of its own, so no colour is needed to tell them apart. */
export function MarkShape({ mark }: { readonly mark: Mark }) {
  return (
    <>
      <rect class="target" x="-12" y="-12" width="24" height="24" />
      <Shape {...mark} />
    </>
  );
}

/** The same without the room that a finger needs. */
export function Shape({ action, tone, isDeferred }: Pick<Mark, 'action' | 'tone' | 'isDeferred'>) {
  if (tone === 'bad') return <path class="shape" d="M0 -6 L6 5 L-6 5 Z" />;
  if (isDeferred || tone === 'warn')
    return <path class={isDeferred ? 'shape hollow' : 'shape'} d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
  if (action === 'stop') return <rect class="shape" x="-4" y="-4" width="8" height="8" />;
  return <circle class={tone === 'good' ? 'shape' : 'shape hollow'} r="5" />;
}
