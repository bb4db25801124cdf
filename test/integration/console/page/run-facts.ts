import type { CalendarAnswer, HistoryAnswer, RunAnswer } from '#console/api.ts';

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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** An instant of the stage, by days after its fifth of December. */
export const at = (days: number, hours: number) =>
  new Date(Date.parse('2026-12-05T00:00:00Z') + days * DAY + hours * HOUR).toISOString();

type Entry = HistoryAnswer['history'][number];
type Planned = CalendarAnswer['planned'][number];

/** A command that was applied; fields over the defaults. */
export function entry(id: string, more: Partial<Entry>): Entry {
  return {
    id,
    at: at(0, 0),
    action: 'start',
    run: 'nightly',
    campaignRunId: `0199-${id}`,
    outcome: 'applied',
    askedBy: { kind: 'schedule', name: 'weeknights' },
    askedAt: more.at ?? at(0, 0),
    refusals: [],
    isObserved: false,
    ...more,
  };
}

/** A command of the plan that will be applied; fields over the defaults. */
export function plannedEntry(id: string, more: Pick<Planned, 'at' | 'action'> & Partial<Planned>): Planned {
  return {
    id,
    run: 'nightly',
    origin: { kind: 'schedule', name: 'weeknights' },
    outcome: 'applied',
    verdicts: [],
    requests: [],
    timezone: 'Europe/Dublin',
    ...more,
  };
}

/** The evidence of one start, with hostile text where others write it. */
export const runEvidence: RunAnswer['evidence'] = {
  stage: 'prod',
  writtenAt: at(0, 8),
  timezone: 'Europe/Dublin',
  versions: { command: '0.9.0', stage: '0.9.0' },
  run: 'nightly',
  campaignRunId: '0199-night2',
  campaign: `chat-bot ${hostile}`,
  start: {
    command: entry('night2', { at: at(-2, 22), askedBecause: hostile }),
    effect: 'made',
    effectAt: at(-2, 22.25),
    stopDueAt: at(-1, 6),
    verdicts: [
      { guard: 'frozen', verdict: 'apply' },
      { guard: 'blackout', verdict: 'overridden', detail: hostile },
    ],
  },
  course: {
    stands: {
      run: 'nightly',
      startId: 'night2',
      state: 'stopped',
      tone: 'plain',
      says: hostile,
      startAt: at(-2, 22.25),
      endedAt: at(-1, 6),
    },
    steps: [{ at: at(-2, 22), says: hostile }],
    end: {
      kind: 'stopped',
      at: at(-1, 6),
      commandId: 'night2-stop',
      command: entry('night2-stop', {
        at: at(-1, 6),
        action: 'stop',
        askedBy: { kind: 'watcher', name: `watch-campaigns ${hostile}` },
      }),
    },
    confirmation: { state: 'confirmed', by: 'lastRun', at: at(-2, 22.5) },
    between: [],
    begun: 'yes',
    project: { kind: 'unknown', why: `the gateway does not say ${hostile}` },
    campaign: {
      kind: 'known',
      id: 'c1',
      name: hostile,
      at: at(-2, 22),
      config: { lists: {}, fields: {} },
      drift: {
        kind: 'changed',
        until: at(-1, 6),
        changes: [{ kind: 'changed', field: 'scanner', before: hostile, after: '2' }],
        difference: [],
      },
    },
    comparable: 'no',
  },
};
