import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ShownProblem } from '../connection/ask.ts';
import type { ShownAnswer } from '../connection/use-answer.ts';
import { NextStep } from '../words/outcome.tsx';

/** A problem as one sentence, with the command that helps. It is announced. */
export function ProblemNote({ problem }: { readonly problem: ShownProblem }) {
  return (
    <div class="note bad" role="alert">
      <strong>{problem.part === undefined ? 'Could not be read' : `Missing: ${problem.part}`}</strong>
      <p>
        {problem.message} <code class="dim">{problem.code}</code>
      </p>
      <NextStep step={{ says: '', command: problem.command }} />
    </div>
  );
}

/** The parts of an answer that are missing, a note each. */
export function ProblemNotes({ problems }: { readonly problems: readonly ShownProblem[] }) {
  return problems.map((problem) => <ProblemNote key={`${problem.part ?? ''} ${problem.code}`} problem={problem} />);
}

/** Shows an answer once it is there. While it is read the screen says so; after a failed reload the last answer stays below the problem. */
export function Answer<T>({
  asked,
  children,
}: {
  readonly asked: ShownAnswer<T>;
  readonly children: (answer: T) => ComponentChildren;
}) {
  return (
    <>
      {asked.problem === undefined ? null : (
        <>
          <ProblemNote problem={asked.problem} />
          <p>
            <button type="button" onClick={asked.reload}>
              Try again
            </button>
            {asked.answer === undefined ? null : <span class="dim"> What follows is the last answer.</span>}
          </p>
        </>
      )}
      {asked.answer === undefined && asked.isLoading ? (
        <p class="dim" role="status">
          Reading…
        </p>
      ) : null}
      {asked.answer === undefined ? null : children(asked.answer)}
    </>
  );
}

/** Leads through a list that is answered page by page, newest first. */
export function Pages({
  before,
  nextBefore,
  open,
}: {
  /** Of the page that is shown; absent for the newest. */
  readonly before: string | undefined;
  /** Of the next page; absent if there is none. */
  readonly nextBefore: string | undefined;
  readonly open: (before: string | undefined) => void;
}) {
  return (
    <p class="buttons">
      {before === undefined ? null : (
        <button type="button" onClick={() => open(undefined)}>
          Newest
        </button>
      )}
      {nextBefore === undefined ? null : (
        <button type="button" onClick={() => open(nextBefore)}>
          Earlier
        </button>
      )}
    </p>
  );
}

/** A part of a screen with its heading. */
export function Panel({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}) {
  const id = `panel-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {count === undefined ? null : <span class="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

/** Stands for the items of an empty list. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}

/**
 * A table. In a narrow window each row is a card, whose cells say their column. One that is still
 * too wide scrolls, and then the keyboard reaches it.
 */
export function Table({
  label,
  look,
  head,
  children,
}: {
  readonly label: string;
  /** `brief`: a card that is short, and says no column. */
  readonly look?: 'brief';
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [isScrolling, setScrolling] = useState(false);
  useLayoutEffect(() => {
    for (const cell of place.current?.querySelectorAll<HTMLTableCellElement>('tbody > tr > *') ?? [])
      if (cell.colSpan === 1) cell.dataset['head'] = head[cell.cellIndex];
  });
  useEffect(() => {
    const region = place.current;
    if (region === null) return undefined;
    const observer = new ResizeObserver(() => setScrolling(region.scrollWidth > region.clientWidth));
    for (const each of [region, ...region.children]) observer.observe(each);
    return () => observer.disconnect();
  }, []);
  const reached = isScrolling ? ({ role: 'region', 'aria-label': `${label}, table`, tabIndex: 0 } as const) : {};
  return (
    <div class="scroll" ref={place} {...reached}>
      <table aria-label={label} class={look}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
