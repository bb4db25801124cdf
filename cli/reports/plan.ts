import {
  type PlannedClockChange,
  type PlannedCommand,
  readStagePlan,
  type StagePlan,
} from '#operator/plan/stage-plan.ts';
import { heldBack, switchedWords } from '#operator/switches/switches.ts';
import type { Style } from '#shared/text/terminal-writer.ts';
import { meaningOf } from '#shared/vocabulary/reason-codes.ts';
import type { Command } from '../terminal/command.ts';
import { countArgument } from '../terminal/arguments.ts';
import { columns, writeDocument } from '../terminal/output.ts';
import { UsageError } from '#operator/errors.ts';
import { planCalendar } from '#operator/plan/plan-calendar.ts';
import { counted } from '#operator/readable.ts';
import { idsLines } from '../runs/run-lines.ts';
import type { When, TextScreen } from '../terminal/times.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { timeToCome } from '../terminal/typed-times.ts';
import { dayMs } from '#shared/schedule/duration.ts';

export const command: Command = {
  line: {
    says: 'What the schedules will bring about: starts and stops, and which will be skipped or deferred, and why.',
    more: 'The deployed worker judges it by its own guards and the ledger; nothing is sent. What people, uploads and changes ask for in between is not in it. --verbose shows the requests.',
    options: {
      '--from <TIME>': 'show what comes from then on (now): 06:00 or 2026-11-27T03:00',
      '--days <N>': 'so many days of it (7, at most 92)',
      '--ics <FILE>': 'write it there for your own calendar (60 days); a later file replaces what this one brought',
    },
    examples: [
      'autopilot plan --days 31 --aws --stage prod',
      'autopilot plan --ics nights.ics',
      `autopilot plan --json | jq '.commands[] | select(.outcome != "applied")'`,
    ],
  },
  async run(args, deps) {
    const clock = await stageClock(deps);
    const { now } = clock;
    const file = args.text('ics');
    if (file !== undefined && !/\.ics$/i.test(file))
      throw new UsageError(`--ics: ${file} would hold a calendar. Name it .ics`);
    const usualDays = file === undefined ? defaultDays : daysOfCalendar;
    const days = countArgument('--days', args.text('days') ?? String(usualDays), mostDays);
    const text = args.text('from');
    const from = text === undefined ? now : timeToCome('--from', text, clock);
    const plan = await readStagePlan({ from, until: new Date(from.getTime() + days * dayMs) }, deps);
    if (file !== undefined) {
      await writeDocument(file, planCalendar(plan, now));
      const says = `${file}: ${counted(plan.commands.length, 'command')} and ${counted(plan.blackouts.length, 'blackout')} of ${counted(days, 'day')}. Import it into your calendar.`;
      return { data: { ...plan, file }, render: () => [says] };
    }
    return {
      data: plan,
      now,
      render: (screen) => planLines(plan, screen, args.flag('verbose')),
    };
  },
};

const defaultDays = 7;
const mostDays = 92;
const daysOfCalendar = 60;

const styles: Readonly<Partial<Record<PlannedCommand['outcome'], Style>>> = {
  skipped: 'yellow',
  deferred: 'cyan',
  superseded: 'dim',
  parked: 'red',
};

/** A plan for people: what holds for all of it, a line for each command, what the clocks do. Its requests stand beneath if they are asked for. */
function planLines(plan: StagePlan, screen: TextScreen, isVerbose: boolean): readonly string[] {
  const { paint, at, note } = screen;
  return [
    `${paint('bold', `plan of stage ${plan.stage}`)}, ${at(plan.from)} to ${at(plan.until)}, by what is deployed, ${note}. Nothing was sent.`,
    ...(plan.mode === 'observe'
      ? [paint('yellow', 'the stage only observes: none of these requests will be sent')]
      : []),
    ...plan.switches.map((one) => {
      const lasts = one.until === undefined ? '. This plan takes it that it lasts' : '';
      return paint('red', `${switchedWords(one, at)}; ${heldBack(one)}${lasts}`);
    }),
    '',
    ...(plan.commands.length === 0
      ? ['no schedule sends a command in that time']
      : commandLines(plan.commands, screen, isVerbose)),
    ...idsSection(plan, screen),
    ...blackoutLines(plan.blackouts, screen),
    ...clockLines(plan.clockChanges, screen),
    ...plan.unread.map(({ campaign, why }) =>
      paint(
        'yellow',
        `campaign ${campaign} could not be read (${why}). A minimum gap is judged by this stage's starts alone`,
      ),
    ),
    ...(plan.cutAt === undefined
      ? []
      : [paint('yellow', `too many commands for one question: what comes after ${at(plan.cutAt)} is left out`)]),
  ];
}

function commandLines(commands: readonly PlannedCommand[], screen: TextScreen, isVerbose: boolean): readonly string[] {
  const { at, elsewhere, paint } = screen;
  const rows = commands.map((one) => [
    at(one.at),
    one.origin.name,
    `${one.action} ${one.run ?? ''}`,
    [one.outcome, one.reason ?? ''].join(' ').trim(),
    // A planned stop has no clock of its own.
    [noteOf(one, at), one.origin.kind === 'schedule' ? elsewhere(one.at, one.timezone) : ''].filter(Boolean).join('; '),
  ]);
  return columns(rows).flatMap((line, index) => {
    const one = commands[index];
    const style = one && styles[one.outcome];
    const requests = isVerbose ? (one?.requests ?? []) : [];
    return [
      style === undefined ? line : paint(style, line),
      ...requests.map(({ method, path, body }) => paint('dim', `    ${method} ${path} ${JSON.stringify(body)}`)),
    ];
  });
}

function noteOf(planned: PlannedCommand, at: When['at']): string {
  const { detail, reason, idsLeft, startsLeft, verdicts } = planned;
  const overridden = verdicts.filter(({ verdict }) => verdict === 'overridden').map(({ guard }) => guard);
  return [
    detail ?? meaningOf(reason),
    overridden.length === 0 ? '' : `overridden: ${overridden.join(', ')}`,
    endNote(planned, at),
    planned.expectedEnd === undefined ? '' : `it usually ends ${at(planned.expectedEnd)}`,
    idsLeft === undefined ? '' : `${countOf(idsLeft, 'id')} left after it`,
    startsLeft === undefined ? '' : `${countOf(startsLeft, 'start')} left this month`,
  ]
    .filter(Boolean)
    .join('; ');
}

function endNote({ stopDueAt, endsAt, endsBy }: PlannedCommand, at: When['at']): string {
  const due = stopDueAt === undefined ? '' : `stops at ${at(stopDueAt)}`;
  if (endsAt === undefined || endsBy?.kind !== 'stop') return due;
  const early = `it ends ${at(endsAt)}, by the stop of ${endsBy.askedBy.name}`;
  return due === '' ? early : `${early}; ${due}`;
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count === 0 ? 'no' : count} ${noun}s`;
}

/** As of now: the plan itself tells what each start leaves. */
function idsSection({ ids = [] }: StagePlan, screen: TextScreen): readonly string[] {
  if (ids.length === 0) return [];
  return ['', screen.paint('bold', 'Run ids'), ...idsLines(ids, screen).map((line) => `  ${line}`)];
}

function blackoutLines(blackouts: StagePlan['blackouts'], { at, paint }: TextScreen): readonly string[] {
  if (blackouts.length === 0) return [];
  const rows = blackouts.map(({ name, starts, campaigns, from, until }) => [
    `${at(from)} to ${at(until)}`,
    name,
    starts === 'skip' ? 'skips starts' : 'defers starts',
    campaigns === undefined ? 'of every campaign' : `of ${campaigns.join(', ')}`,
  ]);
  return ['', paint('bold', 'Blackouts'), ...columns(rows).map((line) => `  ${line}`)];
}

function clockLines(changes: readonly PlannedClockChange[], { paint }: TextScreen): readonly string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(({ schedule, kind, local, timezone }) =>
    kind === 'skipped'
      ? `${schedule}: ${local} ${timezone} does not exist, the clocks go forward: it does not fire then`
      : `${schedule}: ${local} ${timezone} comes twice, the clocks go back: it fires once, the first time`,
  );
  return ['', paint('bold', 'Clock changes'), ...lines.map((line) => `  ${line}`)];
}
