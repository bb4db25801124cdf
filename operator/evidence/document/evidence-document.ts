import type { ConfigHistory } from '../config-history.ts';
import { courseSections, scannerVersionsSection, versionsText } from './sections.ts';
import { type At, askedBy, askedSection, code, guardsSection, table, escapedText } from './start-sections.ts';
import { timeIn } from '#shared/schedule/written-times.ts';
import type { Course, Evidence, ScoreChange } from '../read-evidence.ts';

/** Evidence as one Markdown document, to be read by a person who was not there: times of its tables are UTC. Pure. */
export function evidenceDocument(evidence: Evidence): readonly string[] {
  const { start, course, run, timezone } = evidence;
  const now = new Date(evidence.writtenAt);
  const at: At = (instant) => timeIn(instant, timezone, now);
  return [
    `# Evidence: start of ${escapedText(nameOf(run) ?? 'a run')}`,
    '',
    `One start of a campaign run, by the ledger and the gateway of the stage ${code(evidence.stage)}. Written by`,
    `${code('autopilot evidence')} ${writtenBy(evidence.versions)}. Instants are UTC; times in sentences are those of ${timezone}.`,
    '',
    ...table(['', ''], summaryRows(evidence)),
    '',
    ...(course === undefined ? [] : scannerVersionsSection(course.project)),
    ...askedSection(start, at),
    ...guardsSection(start, at),
    ...courseSections(evidence, at),
  ];
}

function nameOf({ run, campaignRunId }: Evidence['run']): string | undefined {
  return run === '' ? campaignRunId : run;
}

function writtenBy({ command, stage }: Evidence['versions']): string {
  return `of version ${code(command)}, on a stage ${stage === undefined ? 'that does not say its version' : `of version ${code(stage)}`}`;
}

function summaryRows(evidence: Evidence): readonly (readonly [string, string])[] {
  const { run, campaign, course, start, scores } = evidence;
  const { campaignRunId = '', endedAt } = run;
  return [
    ['Run', [escapedText(run.run), campaignRunId === '' ? '' : code(campaignRunId)].join(' ').trim()],
    ...(campaign === undefined ? [] : [['Campaign', escapedText(campaign)] as const]),
    ['State', escapedText(run.says)],
    ...(scores === undefined ? [] : [['Scores', scoresText(scores)] as const]),
    ...begunRows(evidence),
    ...(endedAt === undefined ? [] : [['Ended', endedAt] as const]),
    ['Asked by', askedBy(start.command)],
    ...(course === undefined ? [] : [['Scanners', versionsText(course.project)] as const]),
    ['Comparable', comparableText(evidence)],
    ['Command', code(start.command.id)],
    ['Written', evidence.writtenAt],
  ];
}

function scoresText({ before, after }: ScoreChange): string {
  return `${before ?? 'none'} before the change, ${after ?? 'none'} after it`;
}

/** When it began; of one of which that is not so, or not known, its planned time. */
function begunRows({ begun, run: { startAt } }: Evidence): readonly (readonly [string, string])[] {
  if (begun === 'yes') return [['Began', startAt]];
  const said = begun === 'no' ? '**no**' : '**not known**: nothing shows that it began';
  return [
    ['Began', said],
    ['Planned for', startAt],
  ];
}

function comparableText({ course, run: { endedAt } }: Evidence): string {
  if (course === undefined) return 'not applicable: it has not run';
  const { comparable } = course;
  if (comparable === 'yes')
    return 'yes: it is complete, and project and campaign were the same from its start to its end';
  const changed = subjects(course, (history) => history.kind === 'known' && history.drift.kind === 'changed');
  if (changed !== '') return `**no**: the ${changed} changed while it ran`;
  if (comparable === 'no') return '**no**: it failed';
  const unknown = subjects(course, (history) => history.kind === 'unknown' || history.drift.kind === 'unknown');
  const same =
    unknown === '' ? 'project and campaign stayed the same' : `nothing proves that the ${unknown} stayed the same`;
  return `**not known**: ${endedAt === undefined ? 'it has not ended' : 'nothing shows whether it was complete'}; ${same}`;
}

function subjects({ project, campaign }: Course, is: (history: ConfigHistory) => boolean): string {
  return [is(project) ? 'project' : '', is(campaign) ? 'campaign' : ''].filter((word) => word !== '').join(' and the ');
}
