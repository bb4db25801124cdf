import type { ParkedAnswer } from '../../api-work.ts';
import { stagePath, useAnswer } from '../connection/ask.ts';
import { Answer, Nothing } from '../frame/answer.tsx';
import { route } from '../frame/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { Distance, Instant, Sentence } from '../words/time.tsx';
import { Decide } from './decide.tsx';
import { Markdown } from './markdown.tsx';

type Group = ParkedAnswer['groups'][number];

/** What waits for a person: by reason, with the page of the runbook beside it and the decision below. */
export function ParkedScreen() {
  const { stage } = route.value;
  const asked = useAnswer<ParkedAnswer>(stagePath(stage, 'parked'));
  return (
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
              reload={asked.reload}
            />
          ))
        )
      }
    </Answer>
  );
}

function GroupPanel({
  group,
  rows,
  reload,
}: {
  readonly group: Group;
  readonly rows: ParkedAnswer['parked'];
  readonly reload: () => void;
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
          <Decide group={group} reload={reload} />
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
      {rows.map(({ id, subject, since, detail, kind, isObserved, lookFor }) => (
        <li key={id}>
          <span class="right">
            <Instant at={since} />
          </span>
          <strong>{subject}</strong> <span class="dim">{isObserved === true ? `${kind}, observed` : kind}</span>
          <p class="words">
            <Sentence text={detail} />
            {lookFor === undefined ? null : <span class="dim"> Look for: {lookFor}</span>}
          </p>
          <CommandLine line={cli('parked', 'show', id)} />
        </li>
      ))}
    </ul>
  );
}
