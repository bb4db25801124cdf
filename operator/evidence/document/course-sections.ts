import type { HistoryEntry } from '../../history/history-entry.ts';
import { roughly } from '../../readable.ts';
import { campaignSection, driftSection, projectSection } from './config-sections.ts';
import { bullets, code, section, table, text } from './markdown.ts';
import type { Ran, SentCourse, StartEvidence } from '../read-evidence.ts';
import type { Confirmation, RunEnd } from '../run-course.ts';
import { askedBy, startedText } from './start-sections.ts';

/** What became of a start that was sent, as sections of its document. Pure. */

/** How it ended, by whom, and whether that was late. */
export function endText(end: RunEnd): string {
  switch (end.kind) {
    case 'stopped': {
      const by = end.command === undefined ? '' : ` by ${askedBy(end.command)}`;
      return `stopped ${end.at}${by}${end.lateMs === undefined ? '' : `, **${roughly(end.lateMs)} late**`}`;
    }
    case 'started-again':
      return `no stop is on record; the same run was started again at ${end.at}`;
    case 'in-flight':
      return `still in flight when this was written${openWords(end)}`;
    case 'no-stop':
      return 'no stop is on record';
  }
}

function openWords({ countsUntil, overdueMs }: Extract<RunEnd, { kind: 'in-flight' }>): string {
  if (overdueMs !== undefined) return `; **its stop is overdue for ${roughly(overdueMs)}**`;
  return countsUntil === undefined ? '' : `; it counts as in flight until ${countsUntil}`;
}

/** When it began; of one that was to begin later, that it did not. */
export function begunText(start: StartEvidence, { begun, end }: SentCourse): string {
  const { effectAt } = start;
  if (begun === 'not-yet') return `not yet: it is to begin ${effectAt}`;
  if (begun === 'no') {
    const ended = end.kind === 'stopped' ? 'stopped' : 'started again';
    return `**no**: ${ended} before it began; it was to begin ${effectAt}`;
  }
  return startedText(start);
}

/** Start and stop, confirmation, drift, what it ran against, commands meanwhile. */
export function courseSections(start: StartEvidence, course: SentCourse): readonly string[] {
  return [
    ...section('Start and stop', table(['', ''], courseRows(start, course))),
    ...section('Confirmation', [confirmationText(course.confirmation)]),
    ...(course.begun === 'yes' ? ranSections(course) : []),
    ...section('Commands about the run meanwhile', betweenLines(course.between)),
  ];
}

function ranSections({ project, campaign }: Ran): readonly string[] {
  return [...driftSection({ project, campaign }), ...projectSection(project), ...campaignSection(campaign)];
}

function courseRows(start: StartEvidence, { begun, end }: SentCourse): readonly (readonly [string, string])[] {
  const { command, effectAt, stopDueAt } = start;
  const stop = end.kind === 'stopped' ? end.command : undefined;
  return [
    ['Start', command.detail === undefined ? startedText(start) : text(command.detail)],
    ['Recorded at', `${command.at}${command.lateMs === undefined ? '' : `, **${roughly(command.lateMs)} late**`}`],
    ['In effect from', inEffectFrom[begun](effectAt ?? 'not known')],
    ['Stop due', stopDueAt ?? 'the start planned none'],
    ['End', endText(end)],
    ...(end.kind === 'stopped' ? [['Stop command', code(end.commandId)] as const] : []),
    ...(stop?.askedBecause === undefined ? [] : [['Stopped because', text(stop.askedBecause)] as const]),
  ];
}

const inEffectFrom: Readonly<Record<SentCourse['begun'], (at: string) => string>> = {
  yes: (at) => at,
  no: (at) => `never: it was to be ${at}`,
  'not-yet': (at) => `${at}, still to come`,
};

function confirmationText({ state, by, before, reads, at, missingSince, until }: Confirmation): string {
  const was = before === undefined ? 'was not shown before' : `was ${before} before`;
  switch (state) {
    case 'confirmed': {
      const late = missingSince === undefined ? '' : `, after it had been reported as missing at ${missingSince}`;
      return `Confirmed at ${at}: ${code(by ?? '')} of the campaign ${was} and read ${text(String(reads))}${late}.`;
    }
    case 'missing':
      return `**Not confirmed**: by ${until} ${code(by ?? '')} of the campaign (it ${was}) had not shown the start; reported at ${at}.`;
    case 'awaited':
      return `Not confirmed: ${code(by ?? '')} of the campaign (it ${was}) was to show the start by ${until}, and no reading that does is on record.`;
    case 'not-applicable':
      return 'Not applicable: the run was ended before it began, and no sign of a start is on record.';
    case 'none':
      return `No sign was waited for: the campaign had no ${code('confirm')}, or its row is not kept any more.`;
  }
}

function betweenLines(between: readonly HistoryEntry[]): readonly string[] {
  if (between.length === 0) return ['None.'];
  return bullets(
    between.map((entry) => {
      const { at, action, outcome, reason, detail } = entry;
      const what = `${at} ${action}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`;
      return `${what}, asked by ${askedBy(entry)}${detail === undefined ? '' : `: ${text(detail)}`}`;
    }),
  );
}
