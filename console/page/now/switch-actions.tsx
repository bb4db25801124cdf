import { useState } from 'preact/hooks';
import type { NowAnswer } from '../../api.ts';
import type { SwitchAnswer, SwitchBody } from '../../api-work.ts';
import { problemFrom, post, stagePath, type ShownProblem } from '../connection/ask.ts';
import { mayChange } from '../connection/session.ts';
import { stageRowOf } from '../connection/live.ts';
import { ProblemNote } from '../frame/answer.tsx';
import { route } from '../frame/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';

/** Freeze and thaw, beside the band of the freeze: a form if this console may, else the command of the freeze. What was done stays said. */
export function SwitchActions({ now }: { readonly now: NowAnswer }) {
  const [said, setSaid] = useState('');
  const isFrozen = now.switches.some(({ scope }) => scope === 'stage');
  const action = isFrozen ? 'thaw' : 'freeze';
  // The band of a freeze has its command.
  const form = mayChange('switch') ? <SwitchForm key={action} action={action} say={setSaid} /> : null;
  return (
    <div class="switches">
      {isFrozen ? (
        form
      ) : (
        <details>
          <summary>Hold every start back…</summary>
          {form}
          <CommandLine line={cli('freeze', '--reason', 'TEXT')} />
        </details>
      )}
      <span role="status">{said}</span>
    </div>
  );
}

function SwitchForm({ action, say }: { readonly action: 'freeze' | 'thaw'; readonly say: (words: string) => void }) {
  const { stage } = route.value;
  const [because, setBecause] = useState('');
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<ShownProblem>();
  const change = async () => {
    const body: SwitchBody = { action, because, typed: typed === '' ? undefined : typed };
    setProblem(undefined);
    try {
      const { isChanged } = await post<SwitchAnswer>(stagePath(stage, 'switches'), body);
      const done = action === 'freeze' ? 'The stage is frozen' : 'The freeze is over';
      say(isChanged ? `● Done. ${done}.` : `${done} already.`);
    } catch (error) {
      say('');
      setProblem(problemFrom(error));
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      <label>
        Because
        <input required value={because} onInput={(event) => setBecause(event.currentTarget.value)} />
      </label>
      <TypedName stage={stage} typed={typed} setTyped={setTyped} />
      <button type="submit">{action === 'freeze' ? 'Freeze the stage' : 'Thaw the stage'}</button>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </form>
  );
}

/** A deployed stage wants its name typed once in a session, before anything is changed. */
export function TypedName({
  stage,
  typed,
  setTyped,
}: {
  readonly stage: string;
  readonly typed: string;
  readonly setTyped: (text: string) => void;
}) {
  const row = stageRowOf(stage);
  if (row?.kind !== 'aws') return null;
  return (
    <label>
      Type {row.stage} if this session has not changed this stage yet
      <input autoComplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
    </label>
  );
}
