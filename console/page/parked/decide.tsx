import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Choices, DryRunAnswer, DryRunBody, ResolveAnswer, ResolveBody } from '../../api-work.ts';
import { problemFrom, post, stagePath, type ShownProblem } from '../connection/ask.ts';
import { mayChange } from '../connection/session.ts';
import { ProblemNote, Table } from '../frame/answer.tsx';
import { Cancel, ChangeForm, Dialog, type Said } from '../frame/dialog.tsx';
import { route } from '../connection/route.ts';
import { NextStep, OutcomeWord } from '../words/outcome.tsx';
import { Sentence } from '../words/time.tsx';

type Decision = DryRunBody['decision'];

const verbs: Readonly<Record<Decision, string>> = {
  repeat: 'Repeat',
  dismiss: 'Dismiss',
  applied: 'Record as applied',
};

const counted = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`;

/** Items that one decision is about. */
interface Subject {
  readonly rows: DryRunBody['rows'];
  /** One item by its id: only such a one can be recorded as applied. */
  readonly isOne: boolean;
  readonly choices: Choices;
}

/**
 * The decisions about an item, or about all of a reason. Each opens a dialog, which is the dry run: it says what the decision would do and what it
 * would leave. Its button sends back the rows and their versions, and the server refuses if one has changed.
 */
export function Decisions({
  rows,
  isOne,
  choices,
  onDone,
}: Subject & { readonly onDone: (answer: ResolveAnswer) => void }) {
  const [decision, setDecision] = useState<Decision>();
  const close = () => setDecision(undefined);
  return (
    <>
      <p class="buttons">
        {choices.decisions
          .filter((each) => isOne || each !== 'applied')
          .map((each) => (
            <button key={each} type="button" onClick={() => setDecision(each)}>
              {verbs[each]}
              {isOne ? '…' : ' all…'}
            </button>
          ))}
      </p>
      {decision === undefined ? null : (
        <Dialog title={verbs[decision]} close={close}>
          <DryRun
            ask={{ rows, decision }}
            mayDouble={choices.mayDouble && !isOne}
            onDone={(answer) => {
              close();
              onDone(answer);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

/** Asks what the decision would do at once; of an item that is at the gateway once its dataset is named. */
function DryRun({
  ask,
  mayDouble,
  onDone,
}: {
  readonly ask: DryRunBody;
  readonly mayDouble: boolean;
  readonly onDone: (answer: ResolveAnswer) => void;
}) {
  const { stage } = route.value;
  const [body, setBody] = useState(ask);
  const [dryRun, setDryRun] = useState<DryRunAnswer>();
  const [problem, setProblem] = useState<ShownProblem>();
  const needsId = body.decision === 'applied' && body.datasetId === undefined;
  useLayoutEffect(() => {
    if (needsId) return;
    setProblem(undefined);
    post<DryRunAnswer>(stagePath(stage, 'parked', 'dry-run'), body).then(setDryRun, (error: unknown) =>
      setProblem(problemFrom(error)),
    );
  }, [stage, body, needsId]);
  if (needsId) return <DatasetId take={(datasetId) => setBody({ ...body, datasetId })} />;
  if (problem !== undefined || dryRun === undefined) {
    return (
      <>
        {problem === undefined ? <p class="dim">Reading…</p> : <ProblemNote problem={problem} />}
        <Cancel />
      </>
    );
  }
  return (
    <>
      <Result answer={dryRun} />
      {body.decision === 'repeat' && mayDouble ? (
        <label>
          <input
            type="checkbox"
            checked={body.acceptsSecondEffect === true}
            onChange={(event) => setBody({ ...body, acceptsSecondEffect: event.currentTarget.checked || undefined })}
          />{' '}
          A second effect at the gateway does no harm
        </label>
      ) : null}
      <Confirm body={body} dryRun={dryRun} onDone={onDone} />
    </>
  );
}

/** Does exactly what the dry run named; a console that may not decide gives the command. */
function Confirm({
  body: { rows: _rows, ...decided },
  dryRun: { todo, command },
  onDone,
}: {
  readonly body: DryRunBody;
  readonly dryRun: DryRunAnswer;
  readonly onDone: (answer: ResolveAnswer) => void;
}) {
  const { stage } = route.value;
  const step = { says: 'The command, with your reason in the place of TEXT:', command };
  const rows = todo.map(({ row, version }) => ({ row, version }));
  const resolve = async ({ because, typed }: Said) => {
    const sent: ResolveBody = { rows, ...decided, because, typed };
    onDone(await post<ResolveAnswer>(stagePath(stage, 'parked', 'resolve'), sent));
  };
  if (todo.length > 0 && mayChange('resolve')) {
    return (
      <>
        <ChangeForm verb={`${verbs[decided.decision]} ${counted(todo.length)}`} change={resolve} />
        <NextStep step={step} />
      </>
    );
  }
  return (
    <>
      <p>
        {todo.length === 0 ? 'Nothing to do. ' : 'This console may not decide (no --allow resolve). '}
        <Cancel />
      </p>
      {todo.length === 0 ? null : <NextStep step={step} />}
    </>
  );
}

function DatasetId({ take }: { readonly take: (datasetId: string) => void }) {
  const [datasetId, setDatasetId] = useState('');
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        take(datasetId);
      }}
    >
      <label>
        Id of the dataset at the gateway
        <input required value={datasetId} onInput={(event) => setDatasetId(event.currentTarget.value)} />
      </label>
      <p class="buttons">
        <button type="submit" class="primary">
          Continue
        </button>
        <Cancel />
      </p>
    </form>
  );
}

function Result({ answer: { decision, todo, left, more } }: { readonly answer: DryRunAnswer }) {
  return (
    <>
      <p role="status">
        <strong>
          {verbs[decision]} {counted(todo.length)}, leave {left.length}.
        </strong>{' '}
        Nothing was done yet.
      </p>
      <Table label="What the decision would do" head={['item', 'would be']}>
        {todo.map(({ id, subject }) => (
          <tr key={id}>
            <th scope="row">{subject}</th>
            <td>{{ repeat: 'repeated', dismiss: 'dismissed', applied: 'recorded as applied' }[decision]}</td>
          </tr>
        ))}
        {left.map(({ id, subject, problem }) => (
          <tr key={id}>
            <th scope="row">{subject}</th>
            <td class="words">
              left as it is: <Sentence text={problem} />
            </td>
          </tr>
        ))}
      </Table>
      {more === 0 ? null : <p>{more} more need a second decision.</p>}
    </>
  );
}

/** What was decided, and what was not and why. It takes the focus: the dialog that had it is gone. */
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
              <p class="words">
                <Sentence text={problem} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
