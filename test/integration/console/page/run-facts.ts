import type { RunAnswer } from '#console/api.ts';

/**
 * Markup, marks that turn the direction round, a character without width, and one that clears a
 * terminal.
 */
export const hostile = '<img src=x onerror=alert(1)>\u202egnp.\u200b\u001b[2J';

/** The same as a person sees it. */
export const hostileAsShown = String.raw`<img src=x onerror=alert(1)>\u202egnp.\u200b\u001b[2J`;

/** Characters of it that no text of a page may hold. */
export function hiddenIn(text: string): readonly string[] {
  return ['\u202e', '\u200b', '\u001b'].filter((character) => text.includes(character));
}

/** The planned stop of that start. */
const stop: NonNullable<RunAnswer['evidence']['course']>['between'][number] = {
  id: 'night2-stop',
  at: '2026-12-04T06:00:00.100Z',
  action: 'stop',
  run: 'nightly',
  campaignRunId: '0199-night2',
  outcome: 'applied',
  askedBy: { kind: 'watcher', name: `watch-campaigns ${hostile}` },
  askedAt: '2026-12-04T06:00:00.000Z',
  refusals: [],
  isObserved: false,
};

/** The evidence of one start, with hostile text where others write it. */
export const runEvidence: RunAnswer['evidence'] = {
  stage: 'prod',
  writtenAt: '2026-12-05T08:10:00.000Z',
  versions: { command: '0.9.0', stage: '0.9.0' },
  run: 'nightly',
  campaignRunId: '0199-night2',
  campaign: `chat-bot ${hostile}`,
  start: {
    command: {
      id: 'night2',
      at: '2026-12-03T22:00:01.000Z',
      action: 'start',
      run: 'nightly',
      campaignRunId: '0199-night2',
      outcome: 'applied',
      askedBy: { kind: 'schedule', name: 'weeknights' },
      askedAt: '2026-12-03T22:00:00.000Z',
      askedBecause: hostile,
      refusals: [],
      isObserved: false,
    },
    effect: 'made',
    effectAt: '2026-12-03T22:15:00.000Z',
    stopDueAt: '2026-12-04T06:00:00.000Z',
    verdicts: [
      { guard: 'frozen', verdict: 'apply' },
      { guard: 'blackout', verdict: 'overridden', detail: hostile },
    ],
  },
  course: {
    end: { kind: 'stopped', at: '2026-12-04T06:00:00.100Z', commandId: 'night2-stop', command: stop },
    confirmation: { state: 'confirmed', by: 'lastRun', at: '2026-12-03T22:31:00.000Z' },
    between: [],
    begun: 'yes',
    project: { kind: 'unknown', why: `the gateway does not say ${hostile}` },
    campaign: {
      kind: 'known',
      id: 'c1',
      name: hostile,
      at: '2026-12-03T22:00:00.000Z',
      config: { lists: {}, fields: {} },
      drift: {
        kind: 'changed',
        until: '2026-12-04T06:00:00.000Z',
        changes: [{ kind: 'changed', field: 'scanner', before: hostile, after: '2' }],
        difference: [],
      },
    },
    comparable: 'no',
  },
};
