import type { ConfigHistory, ShownEntry } from '../config-history.ts';
import { bullets, code, section, table, text } from './markdown.ts';

/** What a run ran against, as sections of its document. Pure. */

/** In the order in which people look for them; what else the gateway shows comes after. */
const firstColumns = ['name', 'version', 'enabled', 'mode', 'blocking', 'force'];

/** A message to users is as long as a line of the table, and is no setting: it is told where it changed. */
const leftOut: ReadonlySet<string> = new Set(['flagMessage']);

/** The scanners of the project, each with its version: what makes scores of two runs comparable. */
export function scannerVersionsSection(project: ConfigHistory): readonly string[] {
  const heading = 'Scanner versions at the start';
  if (project.kind === 'unknown') return section(heading, [`**Not known**: ${text(project.why)}.`]);
  const { scanners } = project.config.lists;
  return section(heading, [sourceOf('project', project)], entryTable('scanner', scanners));
}

/** `4: 2026-02, 2026-01, 3`. */
export function versionsText(project: ConfigHistory): string {
  if (project.kind === 'unknown') return `**not known**: ${text(project.why)}`;
  const { scanners } = project.config.lists;
  if (scanners === undefined) return '**not known**: the gateway shows no list of scanners';
  const versions = [
    ...new Set(scanners.flatMap(({ fields: { version } }) => (version === undefined ? [] : [version]))),
  ];
  return `${scanners.length}${versions.length === 0 ? '' : `, of the versions ${versions.map(text).join(', ')}`}`;
}

function sourceOf(what: string, history: Extract<ConfigHistory, { kind: 'known' }>): string {
  const { name, id, at } = history;
  return `Of the ${what} ${name === undefined ? '' : `${text(name)} `}${code(id)} as it was at ${at}, by ${code('configAt')}.`;
}

function entryTable(noun: string, entries: readonly ShownEntry[] | undefined): readonly string[] {
  if (entries === undefined) return [`The gateway shows no list of ${noun}s.`];
  if (entries.length === 0) return [`There was no ${noun}.`];
  const columns = columnsOf(entries);
  return table(
    [noun, ...columns.map(text)],
    entries.map((entry) => [code(entry.id), ...columns.map((name) => text(entry.fields[name] ?? ''))]),
  );
}

/** Every field that some entry has and that does not only repeat what it is called. */
function columnsOf(entries: readonly ShownEntry[]): readonly string[] {
  const fields = new Set(
    entries.flatMap(({ id, fields: its }) => Object.keys(its).filter((name) => its[name] !== id && !leftOut.has(name))),
  );
  return [...new Set([...firstColumns.filter((name) => fields.has(name)), ...fields])];
}

/** What was different at the end, or why that is not known. */
export function driftSection(of: Readonly<Record<'project' | 'campaign', ConfigHistory>>): readonly string[] {
  return section(
    'What changed while it ran',
    ...Object.entries(of).map(([what, history]) => driftLines(what, history)),
  );
}

function driftLines(what: string, history: ConfigHistory): readonly string[] {
  if (history.kind === 'unknown') return [`The ${what}: **not known**, since ${text(history.why)}.`];
  const { at, drift } = history;
  switch (drift.kind) {
    case 'none':
      return [`The ${what}: nothing. It reads the same at ${at} and at ${drift.until}.`];
    case 'changed':
      return [
        `The ${what}, between ${at} and ${drift.until}: **the run is not comparable**.`,
        '',
        ...bullets(drift.difference.map(text)),
      ];
    case 'unknown':
      return [`The ${what}, between ${at} and ${drift.until}: **not known**. ${sentence(drift.why)}`];
  }
}

function sentence(why: string): string {
  const words = text(why);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Packages, providers and routing. */
export function projectSection(project: ConfigHistory): readonly string[] {
  const heading = 'The rest of the project at the start';
  if (project.kind === 'unknown') return section(heading, [`Not known: ${text(project.why)}.`]);
  const { lists, fields } = project.config;
  return section(
    heading,
    entryTable('package', lists['packages']),
    entryTable('provider', lists['providers']),
    bullets(fieldLines(fields)),
  );
}

/** What the campaign tests with. */
export function campaignSection(campaign: ConfigHistory): readonly string[] {
  const heading = 'The campaign at the start';
  if (campaign.kind === 'unknown') return section(heading, [`Not known: ${text(campaign.why)}.`]);
  const { lists, fields } = campaign.config;
  return section(
    heading,
    [sourceOf('campaign', campaign)],
    bullets(fieldLines(fields)),
    entryTable('attack', lists['attacks']),
  );
}

function fieldLines(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).map(([name, words]) => `${text(name)}: ${text(words)}`);
}
