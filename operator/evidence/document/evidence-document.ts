import type { ConfigHistory } from '../config-history.ts';
import { begunText, courseSections, endText, scannerVersionsSection, versionsText } from './sections.ts';
import {
  askedBy,
  askedSection,
  code,
  guardsSection,
  notSentSection,
  startedText,
  table,
  escapedText,
} from './start-sections.ts';
import type { Evidence, Ran, ScoreChange, SentCourse } from '../read-evidence.ts';

/** Evidence as one Markdown document, to be read by a person who was not there: its times are UTC. Pure. */
export function evidenceDocument(evidence: Evidence): readonly string[] {
  const { start, course } = evidence;
  const subject = evidence.run ?? evidence.campaignRunId ?? 'a run';
  return [
    `# Evidence: start of ${escapedText(subject)}`,
    '',
    `One start of a campaign run, by the ledger and the gateway of the stage ${code(evidence.stage)}. Written ${evidence.writtenAt} by`,
    `${code('autopilot evidence')} ${writtenBy(evidence.versions)}. Instants are UTC; times in sentences are those of ${evidence.timezone}.`,
    '',
    ...table(['', ''], summaryRows(evidence)),
    '',
    ...(course?.begun === 'yes' ? scannerVersionsSection(course.project) : []),
    ...askedSection(start),
    ...guardsSection(start),
    ...(course === undefined ? notSentSection(start) : courseSections(start, course)),
  ];
}

function writtenBy({ command, stage }: Evidence['versions']): string {
  return `of version ${code(command)}, on a stage ${stage === undefined ? 'that does not say its version' : `of version ${code(stage)}`}`;
}

function summaryRows({ start, course, ...evidence }: Evidence): readonly (readonly [string, string])[] {
  const { run, campaign, campaignRunId } = evidence;
  const { command } = start;
  return [
    [
      'Run',
      [run === undefined ? '' : escapedText(run), campaignRunId === undefined ? '' : code(campaignRunId)]
        .join(' ')
        .trim(),
    ],
    ...(campaign === undefined ? [] : [['Campaign', escapedText(campaign)] as const]),
    ...(course === undefined ? [] : [['State', escapedText(course.stands.says)] as const]),
    ...(course?.scores === undefined ? [] : [['Scores', scoresText(course.scores)] as const]),
    ['Started', course === undefined ? startedText(start) : begunText(start, course)],
    ...(course === undefined ? [] : [['Ended', endText(course.end)] as const]),
    ['Asked by', askedBy(command)],
    ...(course?.begun === 'yes' ? [['Scanners', versionsText(course.project)] as const] : []),
    ...(course === undefined ? [] : [['Comparable', comparableText(course)] as const]),
    ['Command', code(command.id)],
  ];
}

function scoresText({ before, after }: ScoreChange): string {
  return `${before ?? 'none'} before the change, ${after ?? 'none'} after it`;
}

function comparableText({ comparable, stands, ...course }: SentCourse): string {
  if (course.begun !== 'yes') return `not applicable: it ${course.begun === 'no' ? 'never began' : 'has not begun'}`;
  if (comparable === 'yes')
    return 'yes: it is complete, and project and campaign were the same from its start to its end';
  const changed = subjects(course, (history) => history.kind === 'known' && history.drift.kind === 'changed');
  if (changed !== '') return `**no**: the ${changed} changed while it ran`;
  if (comparable === 'no') return '**no**: it failed';
  const unknown = subjects(course, (history) => history.kind === 'unknown' || history.drift.kind === 'unknown');
  const same =
    unknown === '' ? 'project and campaign stayed the same' : `nothing proves that the ${unknown} stayed the same`;
  return `**not known**: ${stands.endedAt === undefined ? 'it has not ended' : 'nothing shows whether it was complete'}; ${same}`;
}

function subjects(
  { project, campaign }: Pick<Ran, 'project' | 'campaign'>,
  is: (history: ConfigHistory) => boolean,
): string {
  return [is(project) ? 'project' : '', is(campaign) ? 'campaign' : ''].filter((word) => word !== '').join(' and the ');
}
