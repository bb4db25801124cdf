import { useState } from 'preact/hooks';
import type { ParkedAnswer, ResolveAnswer, ResolveBody } from '../../api-work.ts';
import { post, stagePath } from '../connection/ask.ts';
import { linkTo, route } from '../connection/route.ts';
import { mayChange } from '../connection/session.ts';
import { Panel } from '../frame/answer.tsx';
import { ChangeForm, Dialog, type Said } from '../frame/dialog.tsx';
import { NextStep } from '../words/outcome.tsx';
import { Instant, Sentence } from '../words/time.tsx';

type Finding = ParkedAnswer['findings'][number];

interface Told {
  readonly onDone: (answer: ResolveAnswer) => void;
}

/** Findings about runs: none of them is parked work. Each is dismissed with a reason, or its run is started again. */
export function Found({ findings, onDone }: Told & { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <Panel title="Found about runs" count={findings.length}>
      <ul class="rows">
        {findings.map((finding) => (
          <li key={finding.id}>
            <div class="line">
              <a href={linkTo(route.value.stage, 'run', finding.startId)}>{finding.run}</a> <code>{finding.kind}</code>
              <span class="right dim">
                <Instant at={finding.at} />
              </span>
            </div>
            <p class="words">
              <Sentence text={finding.says} />
            </p>
            <p class="words">
              <NextStep step={finding.next} />
            </p>
            {mayChange('resolve') ? <Decide finding={finding} onDone={onDone} /> : null}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const choices = [
  ['repeat', 'Start again', 'It starts now, with another run id.'],
  ['dismiss', 'Dismiss', 'It needs attention no more. Its run stays as it is told.'],
] as const;

function Decide({ finding: { run, row, version }, onDone }: Told & { readonly finding: Finding }) {
  const [chosen, setChosen] = useState<(typeof choices)[number]>();
  const close = () => setChosen(undefined);
  const decide = async ({ because, typed }: Said) => {
    if (chosen === undefined) return;
    const body: ResolveBody = { rows: [{ row, version }], decision: chosen[0], because, typed };
    const answer = await post<ResolveAnswer>(stagePath(route.value.stage, 'parked', 'resolve'), body);
    close();
    onDone(answer);
  };
  return (
    <p class="buttons">
      {choices.map((choice) => (
        <button key={choice[0]} type="button" onClick={() => setChosen(choice)}>
          {choice[1]}…
        </button>
      ))}
      {chosen === undefined ? null : (
        <Dialog title={`${chosen[1]}: ${run}`} close={close}>
          <p>{chosen[2]}</p>
          <ChangeForm verb={chosen[1]} change={decide} />
        </Dialog>
      )}
    </p>
  );
}
