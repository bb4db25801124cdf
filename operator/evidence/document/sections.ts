/** What a run ran against, as sections of its document. Pure. */
import type { HistoryEntry } from '../../history/history-entry.ts';
import type { ConfigHistory, ShownEntry } from '../config-history.ts';
import type { Course, Evidence } from '../read-evidence.ts';
import { withInstants } from '../../readable.ts';
import { type At, askedBy, bullets, code, documentSection, table, escapedText } from './start-sections.ts';

/** In the order in which people look for them; what else the gateway shows comes after. */
const firstColumns = ['name', 'version', 'enabled', 'mode', 'blocking', 'force'];

/**
 * A message to users is as long as a line of the table, and is no setting: a line appears if it
 * changed.
 */
const leftOut: ReadonlySet<string> = new Set(['flagMessage']);

/** The scanners of the project, each with its version: what makes scores of two runs comparable. */
export function scannerVersionsSection(project: ConfigHistory): readonly string[] {
  return knownSection('Scanner versions at the start', project, (known) => [
    [sourceOf('project', known)],
    entryTable('scanner', known.config.lists.scanners),
  ]);
}

/** `4: 2026-02, 2026-01, 3`. */
export function versionsText(project: ConfigHistory): string {
  if (project.kind === 'unknown') return `**not known**: ${escapedText(project.why)}`;
  const { scanners } = project.config.lists;
  if (scanners === undefined) return '**not known**: the gateway shows no list of scanners';
  const versions = [
    ...new Set(scanners.flatMap(({ fields: { version } }) => (version === undefined ? [] : [version]))),
  ];
  return `${scanners.length}${versions.length === 0 ? '' : `, of the versions ${versions.map(escapedText).join(', ')}`}`;
}

function sourceOf(what: string, { name, id }: Extract<ConfigHistory, { kind: 'known' }>): string {
  return `Of the ${what} ${name === undefined ? '' : `${escapedText(name)} `}${code(id)} as it was at the start, by ${code('configAt')}.`;
}

function entryTable(noun: string, entries: readonly ShownEntry[] | undefined): readonly string[] {
  if (entries === undefined) return [`The gateway shows no list of ${noun}s.`];
  if (entries.length === 0) return [`There was no ${noun}.`];
  const columns = columnsOf(entries);
  return table(
    [noun, ...columns.map(escapedText)],
    entries.map((entry) => [code(entry.id), ...columns.map((name) => escapedText(entry.fields[name] ?? ''))]),
  );
}

/** Every field that some entry has and that does not only repeat what it is called. */
function columnsOf(entries: readonly ShownEntry[]): readonly string[] {
  const fields = new Set(
    entries.flatMap(({ id, fields: its }) => Object.keys(its).filter((name) => its[name] !== id && !leftOut.has(name))),
  );
  return [...new Set([...firstColumns.filter((name) => fields.has(name)), ...fields])];
}

function driftSection(of: Readonly<Record<'project' | 'campaign', ConfigHistory>>): readonly string[] {
  return documentSection(
    'What changed while it ran',
    ...Object.entries(of).map(([what, history]) => driftLines(what, history)),
  );
}

function driftLines(what: string, history: ConfigHistory): readonly string[] {
  if (history.kind === 'unknown') return [`The ${what}: **not known**, since ${escapedText(history.why)}.`];
  const { drift } = history;
  switch (drift.kind) {
    case 'none':
      return [`The ${what}: nothing.`];
    case 'changed':
      return [`The ${what}, so **the run is not comparable**:`, '', ...bullets(drift.difference.map(escapedText))];
    case 'unknown':
      return [`The ${what}: **not known**. ${sentence(drift.why)}`];
  }
}

function sentence(why: string): string {
  const words = escapedText(why);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function projectSection(project: ConfigHistory): readonly string[] {
  return knownSection('The rest of the project at the start', project, ({ config: { lists, fields } }) => [
    entryTable('package', lists['packages']),
    entryTable('provider', lists['providers']),
    bullets(fieldLines(fields)),
  ]);
}

function campaignSection(campaign: ConfigHistory): readonly string[] {
  return knownSection('The campaign at the start', campaign, (known) => [
    [sourceOf('campaign', known)],
    bullets(fieldLines(known.config.fields)),
    entryTable('attack', known.config.lists['attacks']),
  ]);
}

/** A section about a configuration; of one that is not known, why. */
function knownSection(
  heading: string,
  history: ConfigHistory,
  parts: (known: Extract<ConfigHistory, { kind: 'known' }>) => readonly (readonly string[])[],
): readonly string[] {
  if (history.kind === 'unknown') return documentSection(heading, [`**Not known**: ${escapedText(history.why)}.`]);
  return documentSection(heading, ...parts(history));
}

function fieldLines(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).map(([name, words]) => `${escapedText(name)}: ${escapedText(words)}`);
}

/** What happened, by the time of each; then what the run ran against, and the other commands about it. */
export function courseSections({ steps, course, between }: Evidence, at: At): readonly string[] {
  const happened = steps.map((step) => [step.at, `${escapedText(step.says)}${step.isAhead ? ' (to come)' : ''}`]);
  return [
    ...documentSection('What happened', table(['at', ''], happened)),
    ...(course === undefined ? [] : ranSections(course)),
    ...documentSection('Commands about the run in the meantime', betweenLines(between, at)),
  ];
}

function ranSections({ project, campaign }: Course): readonly string[] {
  return [...driftSection({ project, campaign }), ...projectSection(project), ...campaignSection(campaign)];
}

function betweenLines(between: readonly HistoryEntry[], at: At): readonly string[] {
  if (between.length === 0) return ['None.'];
  const rows = between.map((entry) => {
    const { action, outcome, reason, detail } = entry;
    const what = `${action}: ${outcome}${reason === undefined ? '' : ` (${reason})`}, requested by ${askedBy(entry)}`;
    return [entry.at, `${what}${detail === undefined ? '' : `: ${escapedText(withInstants(detail, at))}`}`];
  });
  return table(['at', ''], rows);
}
