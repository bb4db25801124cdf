import type { NowAnswer } from '../../api.ts';

type Run = NowAnswer['inFlight'][number];

/** Whether tried work is the start of this run that has no answer: it is shown there, and only once. Pure. */
export function isOf({ id }: Pick<NowAnswer['pending'][number], 'id'>, { startCommandId, inDoubtSince }: Run): boolean {
  return inDoubtSince !== undefined && id === startCommandId;
}
