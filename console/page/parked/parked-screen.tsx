import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PageNode, ParkedAnswer, ParkedItemAnswer, ResolveAnswer } from '../../api-work.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { cli, CommandLine, Lines, NextStep } from '../words/outcome.tsx';
import { Instant, Sentence } from '../words/time.tsx';
import { Decisions, Done } from './decide.tsx';
import { Found } from './found.tsx';

type Group = ParkedAnswer['groups'][number];
type Entry = ParkedAnswer['parked'][number];

/** What needs a decision: the list by reason, and beside it one item with its own commands and its page of the runbook. */
export function ParkedScreen() {
  const { stage, subject, query } = route.value;
  const asked = useAnswer<ParkedAnswer>(stagePath(stage, 'parked'), { isFollowed: true });
  const [done, setDone] = useState<ResolveAnswer>();
  const onDone = (answer: ResolveAnswer) => {
    setDone(answer);
    asked.reload();
  };
  const only = query.get('reason');
  return (
    <>
      {done === undefined ? null : <Done answer={done} />}
      <div class={subject === undefined ? '' : 'beside'}>
        <div class="list">
          <Answer asked={asked}>
            {({ groups, parked, findings }) => (
              <>
                {groups.length + findings.length === 0 ? <Nothing>Nothing needs a decision.</Nothing> : null}
                {groups
                  .filter(({ reason }) => only === null || reason === only)
                  .map((group) => (
                    <GroupPanel
                      key={group.reason}
                      group={group}
                      rows={parked.filter(({ reason }) => reason === group.reason)}
                      onDone={onDone}
                    />
                  ))}
                {only === null ? <Found findings={findings} onDone={onDone} /> : null}
              </>
            )}
          </Answer>
        </div>
        {subject === undefined ? null : <Item key={subject} id={subject} onDone={onDone} />}
      </div>
    </>
  );
}

function GroupPanel({
  group,
  rows,
  onDone,
}: {
  readonly group: Group;
  readonly rows: readonly Entry[];
  readonly onDone: (answer: ResolveAnswer) => void;
}) {
  const { reason, count, nextStep } = group;
  const { stage, subject } = route.value;
  return (
    <section class="panel" aria-labelledby={`group-${reason}`}>
      <h2 id={`group-${reason}`}>
        <code>{reason}</code>
        <span class="count">{count}</span>
      </h2>
      {nextStep === undefined ? null : <p>{nextStep}</p>}
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.id}>
            <div class="line">
              <a href={linkTo(stage, 'parked', row.id)} aria-current={row.id === subject ? 'true' : undefined}>
                {titleOf(row)}
              </a>
              <span class="dim">{row.isObserved === true ? `${row.kind}, observed` : row.kind}</span>
              <span class="right dim">
                <Instant at={row.since} />
              </span>
            </div>
            <p class="words">
              <Sentence text={row.detail} />
            </p>
          </li>
        ))}
      </ul>
      {rows.length < count ? (
        <p class="dim">
          {rows.length} of {count} are shown. All: <CommandLine line={cli('parked', 'list', '--code', reason)} />
        </p>
      ) : null}
      {rows.length < 2 ? null : <Decisions rows={{ reason }} isOne={false} choices={group} onDone={onDone} />}
    </section>
  );
}

function titleOf({ subject, action, run }: Entry): string {
  return action === undefined || run === undefined ? subject : `${action} ${run}`;
}

/** One item: what is known, what may be decided, its own commands. */
function Item({ id, onDone }: { readonly id: string; readonly onDone: (answer: ResolveAnswer) => void }) {
  const { stage } = route.value;
  const asked = useAnswer<ParkedItemAnswer>(stagePath(stage, 'parked', id), { isFollowed: true });
  return (
    <section class="panel item" aria-label="One item">
      <p>
        <a href={linkTo(stage, 'parked')}>All items</a>
      </p>
      <Answer asked={asked}>
        {(row) => (
          <>
            <h2>{titleOf(row)}</h2>
            <Newer newer={row.newer} />
            {row.isParked ? (
              <Decisions rows={{ ids: [id] }} isOne choices={row} onDone={onDone} />
            ) : (
              <p>It needs no decision any more.</p>
            )}
            <dl class="settings">
              {row.facts.map(([label, text]) => [
                <dt key={`${label} ${text}`}>{label}</dt>,
                <dd key={text}>
                  <Sentence text={text} />
                </dd>,
              ])}
            </dl>
            <StoryLink row={row} />
            <ul class="rows">
              {row.advice.map(({ when, command }) => (
                <li key={command.join(' ')}>
                  <NextStep step={{ says: when, command }} />
                </li>
              ))}
            </ul>
            {row.message === undefined ? null : (
              <details>
                <summary>The message as it came</summary>
                <Lines text={row.message} />
              </details>
            )}
            {row.page === undefined ? null : (
              <details class="runbook">
                <summary>Runbook</summary>
                <Nodes nodes={row.page} />
              </details>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

/** A newer version of the key. If it did the work, also the command that ends all such items. */
function Newer({ newer }: Pick<Entry, 'newer'>) {
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
function StoryLink({ row: { kind, subject, action } }: { readonly row: Entry }) {
  const { stage } = route.value;
  if (kind === 'upload') return <a href={linkTo(stage, 'uploads', subject)}>Every version of this file</a>;
  return action === 'start' ? <a href={linkTo(stage, 'run', subject)}>The story of this start</a> : null;
}

/** A section of the runbook. */
function Nodes({ nodes }: { readonly nodes: readonly PageNode[] }): ComponentChildren {
  return nodes.map((node, index) => {
    if (typeof node === 'string') return node;
    const { element: Element, children } = node;
    return (
      <Element key={index}>
        <Nodes nodes={children} />
      </Element>
    );
  });
}
