import type { RunEffect } from '../../builders/run-model.ts';
import type { ChangedRun, Transition } from './evidence.ts';

/** What took effect on one run, by the gateway's own log. It begins once, at its last accepted `startAt`, unless it was cancelled before. */
export function effectsOf({ id, transitions }: ChangedRun, startedBy: string): readonly RunEffect[] {
  const end = transitions.findIndex(isEnd);
  const endsMs = Date.parse(transitions[end]?.at ?? '');
  let beginsMs = Infinity;
  for (const { at, by, body } of transitions.slice(0, end < 0 ? undefined : end)) {
    const isStart = by === 'api' && typeof body?.startAt === 'string';
    if (isStart && beginsMs > Date.parse(at)) beginsMs = Date.parse(body.startAt);
  }
  const begins = { atMs: beginsMs, campaignRunId: id, kind: 'begins', by: startedBy } as const;
  const ends = { atMs: endsMs, campaignRunId: id, kind: 'ends' } as const;
  return [...(beginsMs === Infinity || beginsMs > endsMs ? [] : [begins]), ...(end < 0 ? [] : [ends])];
}

/** A stop that was taken, or the end of its attack. */
function isEnd({ by, to, body }: Transition): boolean {
  return by === 'gateway' ? to === 'complete' : by === 'api' && body?.status === 'cancelled';
}
