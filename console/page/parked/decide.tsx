import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DryRunAnswer, DryRunBody, ParkedAnswer, ResolveAnswer, ResolveBody } from '../../api-work.ts';
import { problemFrom, post, stagePath, type ShownProblem } from '../connection/ask.ts';
import { mayChange, session } from '../connection/session.ts';
import { ProblemNote, Table } from '../frame/answer.tsx';
import { route } from '../frame/route.ts';
import { TypedName } from '../now/switch-actions.tsx';
import { CommandLine, OutcomeWord } from '../words/outcome.tsx';
type Group = ParkedAnswer['groups'][number];
type Decision = DryRunBody['decision'];

const decisionNames: Readonly<Record<Decision, string>> = {
  repeat: 'repeat',
  dismiss: 'dismiss',
  applied: 'note as applied',
};

/**
 * A decision about all rows of a reason: first a dry run, which says what it would do and what it
 * would leave. Then one button does exactly what the dry run named. It sends back the rows and
 * their versions, and the server refuses if one has changed.
 */
export function Decide({ group, onDone }: { readonly group: Group; readonly onDone: (answer: ResolveAnswer) => void }) {
  const { stage } = route.value;
  const [dryRun, setDryRun] = useState<DryRunAnswer>();
  const [problem, setProblem] = useState<ShownProblem>();
  // With `applied` a dataset must be named for one row: that is a decision of the CLI.
  const decisions = group.decisions.filter((decision) => decision !== 'applied');

  const attempt = async <T,>(work: () => Promise<T>, take: (answer: T) => void) => {
    setProblem(undefined);
    try {
      take(await work());
    } catch (error) {
      setDryRun(undefined);
      setProblem(problemFrom(error));
    }
  };
  const ask = async (decision: Decision) => {
    const body: DryRunBody = { rows: { reason: group.reason }, decision };
    await attempt(async () => post<DryRunAnswer>(stagePath(stage, 'parked', 'dry-run'), body), setDryRun);
  };
  const resolve = async (because: string, typed?: string) => {
    if (dryRun === undefined) return;
    const rows = dryRun.todo.map(({ row, version }) => ({ row, version }));
    const body: ResolveBody = { rows, decision: dryRun.decision, because, typed };
    await attempt(
      async () => post<ResolveAnswer>(stagePath(stage, 'parked', 'resolve'), body),
      (answer) => {
        setDryRun(undefined);
        onDone(answer);
      },
    );
  };
  return (
    <div class="decide">
      <p class="buttons">
        {decisions.map((decision) => (
          <button key={decision} type="button" onClick={() => void ask(decision)}>
            Dry run: {decisionNames[decision]}
          </button>
        ))}
      </p>
      <div role="status">{dryRun === undefined ? null : <DryRun answer={dryRun} />}</div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {dryRun === undefined || dryRun.todo.length === 0 ? null : mayChange('resolve') ? (
        <Confirm dryRun={dryRun} resolve={resolve} cancel={() => setDryRun(undefined)} />
      ) : (
        <p>
          This console may not decide (no <code>--allow resolve</code>). The same by hand:
        </p>
      )}
      {dryRun === undefined ? null : <CommandLine line={dryRun.command} />}
    </div>
  );
}

function DryRun({ answer: { decision, todo, left } }: { readonly answer: DryRunAnswer }) {
  return (
    <>
      <p>
        <strong>
          {decisionNames[decision]}: {todo.length} {todo.length === 1 ? 'row' : 'rows'}, leaves {left.length}.
        </strong>{' '}
        Nothing was done yet.
      </p>
      <Table label="What the decision would do" head={['row', 'would be']}>
        {todo.map(({ id, subject }) => (
          <tr key={id}>
            <th scope="row">{subject}</th>
            <td>{decisionNames[decision]}</td>
          </tr>
        ))}
        {left.map(({ id, subject, problem }) => (
          <tr key={id}>
            <th scope="row">{subject}</th>
            <td class="words">left as it is: {problem}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Confirm({
  dryRun: { decision, todo },
  resolve,
  cancel,
}: {
  readonly dryRun: DryRunAnswer;
  readonly resolve: (because: string, typed?: string) => Promise<void>;
  readonly cancel: () => void;
}) {
  const [because, setBecause] = useState('');
  const [typed, setTyped] = useState('');
  const [isSent, setSent] = useState(false);
  const operator = session.value.kind === 'open' ? session.value.operator : '';
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        void resolve(because, typed === '' ? undefined : typed);
      }}
    >
      <label>
        Because (the ledger keeps it, with {operator})
        <input required value={because} onInput={(event) => setBecause(event.currentTarget.value)} />
      </label>
      <TypedName stage={route.value.stage} typed={typed} setTyped={setTyped} />
      <button type="submit" class="primary" disabled={isSent}>
        Do it: {decisionNames[decision]} {todo.length} {todo.length === 1 ? 'row' : 'rows'}
      </button>
      <button type="button" onClick={cancel}>
        Leave it
      </button>
    </form>
  );
}

/** What was decided, and what was not and why. It takes the focus: the form that had it is gone, and so is its group if no row is left. */
export function Done({ answer: { resolved } }: { readonly answer: ResolveAnswer }) {
  const place = useRef<HTMLDivElement>(null);
  const failed = resolved.filter(({ problem }) => problem !== undefined);
  useLayoutEffect(() => place.current?.focus(), [resolved]);
  return (
    <div class="note good" role="status" tabIndex={-1} ref={place}>
      <strong>
        Decided {resolved.length - failed.length} of {resolved.length}.
      </strong>
      {failed.length === 0 ? null : (
        <ul class="rows">
          {failed.map(({ id, subject, problem }) => (
            <li key={id}>
              <OutcomeWord outcome="problem" /> {subject}
              <p class="words">{problem}</p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
