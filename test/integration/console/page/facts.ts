import type * as api from '#console/api.ts';
import * as work from '#console/api-work.ts';
import type { ScoredEnd } from '#operator/scores/run-scores.ts';
import type * as z from 'zod';
import { at, entry, hostile, plannedEntry, runAnswer, stands } from './run-facts.ts';

/** A stage as the page sees it: fixed, accepted by the schemas of the real answers, with hostile text where others write it. */
export const nowText = '2026-12-05T08:10:00.000Z';

const hostileKey = `datasets/${hostile}.csv`;

/** An answer of the real type. */
const typed = <Answer>(answer: Answer): Answer => answer;

/** Twelve nights, each with a start at 22:00 and a stop at 06:00. */
const nights = (first: number) => Array.from({ length: 12 }, (_, index) => index + first);

const stopped = { state: 'stopped', tone: 'plain', says: 'stopped 06:00 by its planned stop' } as const;

/** The start of last night was frozen, and one was deferred by a blackout. */
const past = [
  ...nights(-13).flatMap((day) => {
    const id = `night${-day}`;
    const deferral = { at: at(day, 24), deferred: { from: at(day, 22), until: at(day, 24), blackout: 'release' } };
    return [
      entry(id, {
        at: at(day, 22),
        askedAt: at(day, 22),
        ...(day === -6 ? deferral : {}),
        run: stands(id, { ...stopped, startAt: at(day, day === -6 ? 24 : 22), endedAt: at(day + 1, 6) }),
        stopId: `${id}-stop`,
      }),
      entry(`${id}-stop`, { at: at(day + 1, 6), action: 'stop', campaignRunId: `0199-${id}` }),
    ];
  }),
  entry('night1', {
    at: at(-1, 22),
    outcome: 'skipped',
    reason: 'FROZEN',
    campaignRunId: undefined,
    refusals: [{ guard: 'frozen', verdict: 'skip', detail: `frozen by ann: INC-77 ${hostile}` }],
  }),
];

const planned = nights(0).flatMap((day) => {
  const skip = { outcome: 'skipped', reason: 'BLACKOUT', detail: 'year-end: starts are skipped' } as const;
  const start = { action: 'start', at: at(day, 22), stopDueAt: at(day, 32) } as const;
  return [
    plannedEntry(`plan${day}`, day === 4 ? { ...start, ...skip } : start),
    plannedEntry(`plan${day}-stop`, { action: 'stop', at: at(day + 1, 6) }),
  ];
});

const freeze = { scope: 'stage' as const, name: 'stage', by: 'ann', reason: `INC-77 ${hostile}` };

const schedule: api.NowAnswer['schedules'][number] = {
  name: 'weeknights',
  expression: 'cron(0 22 ? * * *)',
  timezone: 'Europe/Dublin',
  isEnabled: true,
  action: 'start',
  run: 'nightly',
  next: at(0, 22),
};

const parked = (index: number): work.ParkedAnswer['parked'][number] => ({
  id: `p${index}`,
  kind: 'upload',
  subject: index === 0 ? hostileKey : `datasets/pii/names-${index}.csv`,
  reason: 'CHECK_FAILED',
  detail: index === 0 ? `row 3: label is "${hostile}"` : 'row 7: label is "maybe"',
  since: at(-1, 9 + index),
});

const needs: api.NowAnswer['needs'] = [
  {
    subject: `smoke ${hostile}'s start`,
    state: 'warning',
    says: 'no answer yet, for 1 h: it may be running',
    moments: [{ says: 'since', at: at(0, 7) }],
    next: {
      says: 'Nothing to do: it is made certain automatically. To see how:',
      command: ['autopilot', 'show', 'c1'],
    },
  },
  {
    subject: 'parked',
    state: 'problem',
    says: '3 items need a decision: 3 CHECK_FAILED',
    next: { says: 'Decide each.', command: ['autopilot', 'parked', 'list'] },
  },
  {
    subject: 'freeze',
    state: 'problem',
    says: `FROZEN by ann: INC-77 ${hostile}; no start of this stage is sent, but stops are`,
    next: { says: 'To end it:', command: ['autopilot', 'thaw'] },
  },
  { subject: 'schedule weeknights', state: 'warning', says: 'started nothing 2 times', causedBy: 'freeze' },
];

export const now: api.NowAnswer = {
  findings: [],
  stage: 'prod',
  now: nowText,
  asOf: nowText,
  timezone: 'Europe/Dublin',
  version: '0.9.0',
  mode: 'act',
  switches: [{ ...freeze, at: at(-1, 20) }],
  gate: { state: 'paused', since: at(0, 8), reason: `POST /datasets was answered 429 ${hostile}`, until: at(0, 8.3) },
  campaigns: ['chat-bot'],
  headline: { says: `smoke: asked 07:00, last answered 503: it may run ${hostile}`, tone: 'bad' },
  needs,
  queues: [
    { name: 'commands', isDeadLetter: false, waiting: 0, inFlight: 2, delayed: 0 },
    { name: 'commands-dead', isDeadLetter: true, waiting: 1, inFlight: 0, delayed: 0 },
  ],
  schedules: [
    schedule,
    ...['quarter-end-of-the-chat-bot', 'quarter-end-of-the-search-assistant'].map((name) => ({
      name,
      expression: 'cron(30 21 ? JAN,APR,JUL,OCT MON,TUE,WED,THU,FRI *)',
      timezone: 'Europe/Dublin',
      isEnabled: true,
      action: 'start' as const,
      run: hostile,
      next: at(27, 21.5),
    })),
  ],
  parked: [parked(0), parked(1), parked(2)],
  inFlight: [
    {
      kind: 'run',
      subject: `smoke ${hostile}`,
      since: at(0, 7),
      startCommandId: 'c1',
      lastRunElsewhere: hostile,
    },
    { kind: 'run', subject: 'weekly (0199)', since: at(0, 2), startCommandId: 'weekly' },
  ],
  runs: [
    stands('c1', {
      run: `smoke ${hostile}`,
      state: 'unanswered',
      tone: 'warn',
      says: 'asked 07:00, last answered 503: it may run since 07:00',
      startAt: at(0, 7),
    }),
    stands('weekly', { run: 'weekly', startAt: at(0, 2), stopsAt: at(0, 10) }),
    stands('night2', {
      state: 'failed',
      tone: 'bad',
      says: `failed after 43 min: provider acme ${hostile}`,
      startAt: at(-1, 22),
      endedAt: at(-1, 22.7),
      score: 41,
    }),
  ],
  pending: [
    {
      id: 'c1',
      run: 'smoke',
      since: at(0, 7),
      tries: 3,
      lastError: `503: ${hostile}`,
      nextTryAt: at(0, 8.2),
      refusals: { status: 503, count: 3, since: at(0, 7) },
    },
  ],
  recent: [{ at: at(0, 6), kind: 'applied', worker: 'register-datasets', subject: `datasets/${hostile}.csv` }],
  ids: [{ run: 'nightly', left: 2, isLow: true, lastsUntil: at(2, 22) }],
  budgets: [{ campaign: 'chat-bot', month: '2026-12', used: 4, startsPerMonth: 9 }],
  problems: [{ code: 'DENIED', message: `lambda:InvokeFunction is missing ${hostile}`, part: 'plan' }],
};

const calendar: api.CalendarAnswer = {
  now: nowText,
  asOf: nowText,
  timezone: 'Europe/Dublin',
  past: past.toReversed(),
  planned,
  blackouts: [
    { name: 'release', starts: 'defer', from: at(-6, 20), until: at(-5, 0) },
    { name: `year-end ${hostile}`, starts: 'skip', from: at(4, 12), until: at(5, 12) },
  ],
  bands: [{ ...freeze, from: at(-1, 20) }],
  clockChanges: [{ schedule: 'weeknights', kind: 'repeated', local: '2026-12-06T01:30', timezone: 'Europe/Dublin' }],
  unread: [{ campaign: hostile, why: hostile }],
  problems: [],
};

const groups: work.ParkedAnswer = {
  asOf: nowText,
  groups: [
    {
      reason: 'CHECK_FAILED',
      count: 3,
      oldest: at(-1, 9),
      newest: at(-1, 11),
      nextStep: 'Correct the rows and upload the file again.',
      decisions: ['repeat', 'dismiss'],
      mayDouble: false,
    },
  ],
  parked: now.parked,
  findings: [
    {
      id: 'f1',
      run: hostile,
      kind: 'SCORE_LOW',
      count: 1,
      since: at(0, 6),
      at: at(0, 6),
      startId: 'night2',
      says: `score 61, and it is to be at least 80; before it: ${hostile}`,
      next: { says: 'Look at what changed before it.', command: ['autopilot', 'parked', 'resolve', 'f1', '--repeat'] },
      runbook: 'ScoreLow',
      row: 'finding#nightly#SCORE_LOW',
      version: 3,
    },
  ],
};

/** A run that ended in a night, so many nights ago. */
const ended = (night: number, more: Partial<ScoredEnd>): ScoredEnd => ({
  startId: `night${night}`,
  campaignRunId: `run-${night}`,
  startAt: at(-night, 22),
  at: at(1 - night, 5),
  state: 'complete',
  lastedMs: 25_200_000,
  changed: [],
  ...more,
});

export const scores: api.ScoresAnswer = {
  asOf: nowText,
  runs: [
    {
      run: hostile,
      ends: [
        ended(0, { score: 61, median: 87, toMedian: -26, changed: [`projects.chat-app: ${hostile}`] }),
        ended(1, { state: 'failed' }),
        ended(2, { score: 87 }),
        ended(3, { score: 88 }),
      ],
    },
  ],
};

/** One item, with its own commands. */
const item = (id: string): work.ParkedItemAnswer => ({
  ...parked(Number(id.slice(1))),
  asOf: nowText,
  isParked: true,
  decisions: id === 'p1' ? ['applied', 'repeat', 'dismiss'] : ['repeat', 'dismiss'],
  mayDouble: false,
  facts: [
    ['what came', `an upload ${hostile}`],
    ['not known', 'nothing: it had no effect at the gateway'],
  ],
  advice: [
    { when: 'nothing more is to be done about this one', command: ['autopilot', 'parked', 'resolve', id, '--dismiss'] },
  ],
  page: [
    { element: 'p', children: [{ element: 'strong', children: ['Impact.'] }, ' The dataset is missing.'] },
    { element: 'p', children: ['Read the problem ', { element: 'code', children: [hostile] }] },
  ],
});

const upload: work.UploadAnswer['versions'][number] = {
  versionId: 'v1',
  uploadedAt: at(-1, 9),
  state: 'parked',
  reason: 'CHECK_FAILED',
  problemsByRow: [{ row: 3, line: 3, column: 'label', says: `row 3: label is "${hostile}"` }],
  detail: `row 3: label is "${hostile}"`,
  isObserved: false,
};

const stageRow = { stage: 'prod', kind: 'aws' as const, region: 'eu-west-1' };

/** The answers that do not depend on a body, by the end of their path. */
const answers: Readonly<Record<string, unknown>> = {
  '/api/stages': typed<api.StagesAnswer>({
    stages: [
      {
        ...stageRow,
        name: 'prod',
        account: '123456789012',
        version: '0.9.0',
        mode: 'act',
        frozen: true,
        gate: 'paused',
        inFlight: 3,
        parked: 3,
        nextStart: at(0, 22),
        worst: needs[0],
        needs: 3,
      },
      {
        ...stageRow,
        name: 'broken',
        problem: { code: 'DENIED', message: `the SSO session has ended ${hostile}`, command: ['aws', 'sso', 'login'] },
      },
    ],
  }),
  '/api/stages/prod/now': now,
  '/api/stages/prod/calendar': calendar,
  '/api/stages/prod/parked': groups,
  '/api/stages/prod/scores': scores,
  '/api/stages/prod/uploads': typed<work.UploadsAnswer>({
    asOf: nowText,
    uploads: [
      { ...upload, key: hostileKey },
      {
        ...upload,
        key: 'datasets/good.csv',
        versionId: 'v2',
        state: 'applied',
        reason: undefined,
        detail: undefined,
        problemsByRow: undefined,
        datasetId: 'ds-1',
        datasetName: hostile,
      },
    ],
  }),
  [`/api/stages/prod/uploads/${hostileKey}`]: typed<work.UploadAnswer>({
    asOf: nowText,
    key: hostileKey,
    versions: [upload],
  }),
  '/api/stages/prod/settings': typed<api.SettingsAnswer>({
    asOf: nowText,
    timezone: 'Europe/Dublin',
    config: { name: hostile },
    schedules: [{ ...schedule, name: hostile, run: hostile }],
    problems: [{ code: 'DENIED', message: `scheduler:GetSchedule is missing ${hostile}`, part: 'schedules' }],
    table: [{ part: 'run', name: 'nightly', does: `starts nightly at 22:00 ${hostile}` }],
  }),
  '/api/stages/prod/doctor': typed<api.DoctorAnswer>({
    asOf: nowText,
    examined: [
      {
        title: 'Gateway',
        findings: [
          {
            subject: 'token',
            state: 'warning',
            says: `it ends in 3 days ${hostile}`,
            next: { says: 'Make another, then:', command: ['autopilot', 'token', 'set'] },
          },
        ],
      },
    ],
  }),
};

/** The answer to a path; undefined if there is none. */
export function answerTo(path: string, query: URLSearchParams, body: string): unknown {
  if (body !== '') return answerToSent(path, query.get('key') ?? '', body);
  if (path.endsWith('/history')) return historyFor(query.get('search') ?? '');
  const [, id] = /\/parked\/(p\d)$/.exec(path) ?? [];
  if (id !== undefined) return item(id);
  return path.includes('/runs/') ? run : answers[path];
}

function answerToSent(path: string, key: string, body: string): unknown {
  if (path.endsWith('/uploads')) return typed<work.SentUploadAnswer>({ key, versionId: 'v9' });
  if (path.endsWith('/check')) return checked(key);
  if (path.endsWith('/parked/dry-run')) return dryRun(work.dryRunBody.parse(JSON.parse(body)));
  if (path.endsWith('/parked/resolve')) return resolved(work.resolveBody.parse(JSON.parse(body)));
  if (path.endsWith('/stops')) return typed<work.StopAnswer>({ sent: work.stopBody.parse(JSON.parse(body)).startIds });
  work.switchBody.parse(JSON.parse(body));
  return typed<work.SwitchAnswer>({ isChanged: true });
}

const run: api.RunAnswer = {
  asOf: nowText,
  ...runAnswer,
  markdown: `# Evidence\n\n${hostile}`,
  html: '<p></p>',
};

function historyFor(search: string): api.HistoryAnswer {
  const found = [
    entry('hostile', { at: at(0, 7), name: hostile, detail: hostile, askedBecause: hostile }),
    ...past.toReversed(),
  ];
  return { asOf: nowText, history: found.filter((each) => JSON.stringify(each).includes(search)) };
}

/** A file that can be sent as it is. */
export const fileChecked: work.CheckAnswer = {
  file: 'a.csv',
  verdict: 'ready',
  changes: [],
  rows: 2,
  blocking: 1,
  problems: [],
  problemsByRow: [],
  warnings: [],
  more: 0,
};

function checked(key: string): work.CheckAnswer {
  if (key.includes('good')) return fileChecked;
  if (key.includes('list')) {
    return { ...fileChecked, verdict: 'convertible', changes: ['each line becomes a prompt'], blocking: 2 };
  }
  const problemsByRow: work.CheckAnswer['problemsByRow'] = [
    { row: 3, line: 3, column: 'label', says: `row 3: label is "${hostile}"` },
    { row: 7, line: 7, column: 'prompt', says: 'row 7: prompt is empty' },
  ];
  return {
    ...fileChecked,
    verdict: 'problems',
    problems: problemsByRow.map(({ says }) => says),
    problemsByRow,
    more: 1,
    rule: key.includes('as-it-is')
      ? { prefix: 'datasets/as-it-is', check: 'none' }
      : { prefix: 'datasets/', check: 'prompt-label' },
  };
}

function dryRun({ decision, rows }: z.infer<typeof work.dryRunBody>): work.DryRunAnswer {
  const todo = 'ids' in rows ? rows.ids.map((one) => Number(one.slice(1))) : [0, 1];
  return {
    decision,
    todo: todo.map((index) => ({ ...parked(index), row: `UPLOAD#${index}`, version: index + 4 })),
    left: 'ids' in rows ? [] : [{ ...parked(2), problem: `it was changed ${hostile}` }],
    more: 0,
    command: 'autopilot parked resolve --code CHECK_FAILED --dismiss --reason TEXT --yes 2'.split(' '),
  };
}

function resolved({ rows, decision }: z.infer<typeof work.resolveBody>): work.ResolveAnswer {
  return { resolved: rows.map(({ row }) => ({ id: row, kind: 'upload', subject: row, decision, isSent: false })) };
}

/** What a report reads. */
export const reported = {
  calendar,
  uploads: [{ ...upload, key: hostileKey }],
  parked: now.parked,
  problems: now.problems,
};
