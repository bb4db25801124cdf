import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { problemFrom, type ShownProblem } from '../connection/ask.ts';
import { stageRowOf } from '../connection/live.ts';
import { session } from '../connection/session.ts';
import { ProblemNote } from './answer.tsx';
import { route } from '../connection/route.ts';

/** A question above the page. Escape and Cancel close it, and the focus goes back to what opened it. */
export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-labelledby="dialog" onClose={close}>
      <h2 id="dialog">{title}</h2>
      {children}
    </dialog>
  );
}

/** What a person says of a change: why, and once a session the name of a deployed stage. */
export interface Said {
  readonly because: string;
  readonly typed: string | undefined;
}

/** The form of a change: a reason, the name of a deployed stage, the verb itself, and Cancel. A refusal stays in the form. */
export function ChangeForm({
  verb,
  change,
  hasCancel = true,
  children,
}: {
  /** What the button does. */
  readonly verb: string;
  readonly change: (said: Said) => Promise<void>;
  /** It stands in a dialog. */
  readonly hasCancel?: boolean;
  readonly children?: ComponentChildren;
}) {
  const [because, setBecause] = useState('');
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<ShownProblem>();
  const [isSent, setSent] = useState(false);
  const operator = session.value.kind === 'open' ? session.value.operator : '';
  const send = async () => {
    setSent(true);
    setProblem(undefined);
    try {
      await change({ because, typed: typed === '' ? undefined : typed });
    } catch (error) {
      setProblem(problemFrom(error));
      setSent(false);
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      <label>
        Reason (kept in the history, with {operator})
        <input required value={because} onInput={(event) => setBecause(event.currentTarget.value)} />
      </label>
      <TypedName stage={route.value.stage} typed={typed} setTyped={setTyped} />
      <p class="buttons">
        <button type="submit" class="primary" disabled={isSent}>
          {verb}
        </button>
        {hasCancel ? <Cancel /> : null}
      </p>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </form>
  );
}

/** Closes the dialog around it. */
export function Cancel({ says = 'Cancel' }: { readonly says?: string }) {
  return (
    <button type="button" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
      {says}
    </button>
  );
}

/** A deployed stage wants its name typed once in a session, before anything is changed. */
function TypedName({
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
