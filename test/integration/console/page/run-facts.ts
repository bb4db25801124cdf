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

type Run = RunAnswer['evidence']['run'];
type Entry = HistoryAnswer['history'][number];
type Planned = CalendarAnswer['planned'][number];

/** A command that was applied; fields over the defaults. */
export function entry(id: string, more: Partial<Entry>): Entry {
  return {
    id,
    at: at(0, 0),
    action: 'start',
    name: 'nightly',
    campaignRunId: `0199-${id}`,
    outcome: 'applied',
    askedBy: { kind: 'schedule', name: 'weeknights' },
    askedAt: more.at ?? at(0, 0),
    refusals: [],
    isObserved: false,
    ...more,
  };
}

/** How a run stands: it runs, since the beginning of the fifth. Fields over that. */
export function stands(startId: string, more: Partial<Run> = {}): Run {
  const startAt = more.startAt ?? at(0, 0);
  return { run: 'nightly', startId, campaignRunId: `0199-${startId}`, ...runs, startAt, ...more };
}

const runs = { state: 'running', tone: 'good', says: 'runs since 00:00, stops 06:00' } as const;

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
  versions: { command: '0.9.0', stage: '0.9.0' },
  timezone: 'Europe/Dublin',
  run: stands('night2', {
    state: 'failed',
    tone: 'bad',
    says: `failed after 7 h 30 min: provider acme ${hostile}`,
    startAt: at(-2, 22.5),
    endedAt: at(-1, 6),
    next: { says: 'Find out why at the gateway.', command: ['autopilot', 'send', 'start', 'nightly'] },
  }),
  begun: 'yes',
  campaign: `chat-bot ${hostile}`,
  start: {
    command: entry('night2', { at: at(-2, 22), askedBecause: hostile }),
    verdicts: [
      { guard: 'frozen', verdict: 'apply' },
      { guard: 'blackout', verdict: 'overridden', detail: hostile },
    ],
  },
  steps: [
    { at: at(-2, 22), says: `asked by schedule weeknights: ${hostile}` },
    { at: at(-2, 22), says: 'accepted by the gateway' },
    { at: at(-2, 22.5), says: 'began' },
    { at: at(-1, 6), says: `failed after 7 h 30 min: provider acme ${hostile}`, tone: 'bad' },
    { at: at(0, 9), says: 'its planned stop', isAhead: true },
  ],
  between: [],
  course: {
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

/** The page of that run. */
export const runAnswer: Pick<RunAnswer, 'evidence'> = { evidence: runEvidence };
