import { useState } from 'preact/hooks';
import type { NowAnswer } from '../../api.ts';
import type { SwitchAnswer, SwitchBody } from '../../api-work.ts';
import { problemFrom, post, stagePath, type ShownProblem } from '../connection/ask.ts';
import { mayChange } from '../connection/session.ts';
import { stageRowOf } from '../connection/live.ts';
import { Panel, ProblemNote } from '../frame/answer.tsx';
import { route } from '../frame/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';

/** Freeze and thaw: a form if this console may, else the command. */
export function SwitchActions({ now }: { readonly now: NowAnswer }) {
  const isFrozen = now.switches.some(({ scope }) => scope === 'stage');
  const action = isFrozen ? 'thaw' : 'freeze';
  return (
    <Panel title={isFrozen ? 'End the freeze' : 'Hold every start back'}>
      {mayChange('switch') ? <SwitchForm key={action} action={action} /> : null}
      <CommandLine line={isFrozen ? cli('thaw') : cli('freeze', '--reason', 'TEXT')} />
    </Panel>
  );
}

function SwitchForm({ action }: { readonly action: 'freeze' | 'thaw' }) {
  const { stage } = route.value;
  const [because, setBecause] = useState('');
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState<{ readonly text?: string; readonly problem?: ShownProblem }>({});
  const change = async () => {
    const body: SwitchBody = { action, because, typed: typed === '' ? undefined : typed };
    try {
      const { isChanged } = await post<SwitchAnswer>(stagePath(stage, 'switches'), body);
      setSaid({ text: isChanged ? 'Done.' : 'It was so already.' });
    } catch (error) {
      setSaid({ problem: problemFrom(error) });
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
      <span role="status">{said.text}</span>
      {said.problem === undefined ? null : <ProblemNote problem={said.problem} />}
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
