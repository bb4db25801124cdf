import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, instantHere, problemFrom, type ShownProblem } from './ask.ts';
import { happened } from './live.ts';

/** An answer that a screen shows. After a failed reload the last answer stays, with the problem beside it. */
export interface ShownAnswer<T> {
  readonly answer?: T;
  readonly problem?: ShownProblem;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * When the answer of this screen was read, by the browser's clock. One that is followed is as old
 * as the facts of the stream.
 */
export const answerReadAt = signal<number | undefined>(undefined);

/**
 * Asks when the screen opens and whenever the path changes; an undefined path asks nothing. A screen that closes ends its question.
 * @param how.isFollowed - ask again whenever something happens at the stage, or as long as the last answer says so
 */
export function useAnswer<T extends { readonly asOf: string }>(
  path: string | undefined,
  { isFollowed = false }: { readonly isFollowed?: boolean | ((answer: T) => boolean) } = {},
): ShownAnswer<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ path?: string; answer?: T; problem?: ShownProblem; isLoading: boolean }>({
    isLoading: true,
  });
  const isOld = state.path !== path;
  const answer = isOld ? undefined : state.answer;
  const follows = typeof isFollowed === 'boolean' ? isFollowed : answer !== undefined && isFollowed(answer);
  const happenedAt = useChanges(follows ? happened.value : '');
  useEffect(() => {
    if (path === undefined) return;
    const question = new AbortController();
    setState((last) => ({ path, answer: last.path === path ? last.answer : undefined, isLoading: true }));
    ask<T>(path, { signal: question.signal }).then(
      (read) => setState({ path, answer: read, isLoading: false }),
      (error: unknown) => {
        if (!question.signal.aborted) setState((last) => ({ ...last, problem: problemFrom(error), isLoading: false }));
      },
    );
    return () => question.abort();
  }, [path, round, happenedAt]);
  useEffect(() => {
    answerReadAt.value = answer === undefined || follows ? undefined : instantHere(answer.asOf);
  }, [answer, follows]);
  useEffect(() => () => void (answerReadAt.value = undefined), []);
  return {
    answer,
    problem: isOld ? undefined : state.problem,
    isLoading: path !== undefined && (isOld || state.isLoading),
    reload: () => setRound((last) => last + 1),
  };
}

/** How often a text has changed; the first that is known is no change. */
function useChanges(text: string): number {
  const last = useRef({ text, count: 0 });
  if (last.current.text !== text) {
    const count = last.current.count + (last.current.text === '' || text === '' ? 0 : 1);
    last.current = { text, count };
  }
  return last.current.count;
}
