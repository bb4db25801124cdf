import { useState } from 'preact/hooks';
import type { ParkedAnswer, ResolveAnswer } from '../../api-work.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { Distance, Instant, Sentence } from '../words/time.tsx';
import { Decide, Done } from './decide.tsx';
import { Markdown } from './markdown.tsx';

type Group = ParkedAnswer['groups'][number];

/** What waits for a person: by reason, with the page of the runbook beside it and the decision below. */
export function ParkedScreen() {
  const { stage } = route.value;
  const asked = useAnswer<ParkedAnswer>(stagePath(stage, 'parked'), { isFollowed: true });
  const [done, setDone] = useState<ResolveAnswer>();
  const onDone = (answer: ResolveAnswer) => {
    setDone(answer);
    asked.reload();
  };
  return (
    <>
      {done === undefined ? null : <Done answer={done} />}
      <Answer asked={asked}>
        {({ groups, parked }) =>
          groups.length === 0 ? (
            <Nothing>Nothing waits for a decision.</Nothing>
          ) : (
            groups.map((group) => (
              <GroupPanel
                key={group.reason}
                group={group}
                rows={parked.filter(({ reason }) => reason === group.reason)}
                onDone={onDone}
              />
            ))
          )
        }
      </Answer>
    </>
  );
}

function GroupPanel({
  group,
  rows,
  onDone,
}: {
  readonly group: Group;
  readonly rows: ParkedAnswer['parked'];
  readonly onDone: (answer: ResolveAnswer) => void;
}) {
  const { reason, count, oldest, newest, nextStep, page, mayDouble } = group;
  return (
    <section class="panel group" aria-labelledby={`group-${reason}`}>
      <h2 id={`group-${reason}`}>
        <code>{reason}</code>
        <span class="count">{count}</span>
      </h2>
      <p class="dim">
        oldest <Instant at={oldest} />, newest <Distance at={newest} />
        {mayDouble ? ' · ▲ a repeat may have its effect a second time' : ''}
      </p>
      {nextStep === undefined ? null : <p>{nextStep}</p>}
      <div class="beside">
        <div>
          <Rows rows={rows} />
          {rows.length < count ? (
            <p class="dim">
              {rows.length} of {count} are shown. All: <CommandLine line={cli('parked', 'list', '--reason', reason)} />
            </p>
          ) : null}
          <Decide group={group} onDone={onDone} />
        </div>
        {page === undefined ? null : (
          <details class="runbook" open>
            <summary>Runbook</summary>
            <Markdown text={page} />
          </details>
        )}
      </div>
    </section>
  );
}

function Rows({ rows }: { readonly rows: ParkedAnswer['parked'] }) {
  return (
    <ul class="rows">
      {rows.map((row) => (
        <li key={row.id}>
          <span class="right">
            <Instant at={row.since} />
          </span>
          <strong>
            <Subject row={row} />
          </strong>{' '}
          <span class="dim">{row.isObserved === true ? `${row.kind}, observed` : row.kind}</span>
          <p class="words">
            <Sentence text={row.detail} />
            {row.lookFor === undefined ? null : <span class="dim"> Look for: {row.lookFor}</span>}
          </p>
          <Newer newer={row.newer} />
          <CommandLine line={cli('parked', 'show', row.id)} />
        </li>
      ))}
    </ul>
  );
}

/** A newer version of the key. If it did the work, also the command that ends all such rows. */
function Newer({ newer }: Pick<ParkedAnswer['parked'][number], 'newer'>) {
  if (newer === undefined) return null;
  return (
    <>
      <p class="words">
        A newer version of this key came <Instant at={newer.at} />: {newer.ended}
      </p>
      {newer.takesItsPlace ? <CommandLine line={cli('parked', 'resolve', '--dismiss', '--superseded')} /> : null}
    </>
  );
}

/** A file leads to its versions and a start to its story; other work has no screen. */
function Subject({ row: { kind, subject, action, run } }: { readonly row: ParkedAnswer['parked'][number] }) {
  const { stage } = route.value;
  const text = action === undefined || run === undefined ? subject : `${action} ${run}`;
  const screen = kind === 'upload' ? 'uploads' : action === 'start' ? 'run' : undefined;
  return screen === undefined ? <span>{text}</span> : <a href={linkTo(stage, screen, subject)}>{text}</a>;
}
