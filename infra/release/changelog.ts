/**
 * CHANGELOG.md as a release reads it. Each version begins with a table that says what an operator
 * has to know before it is deployed.
 */

/**
 * The rows of that table, in their order: what an upgrade does to a stage that has worked for
 * months.
 */
export const headFields = [
  /** Functions only, or the state too. A minor version replaces nothing. */
  'Deploys',
  /** What a person does, in which order, with the commands. */
  'Steps',
  /** New, deprecated and refused settings. */
  'Configuration',
  /** What is written differently, and which version can still read it. */
  'Rows and messages',
  'Back to the version before',
  /** New IAM actions and alarms. */
  'Costs and permissions',
] as const;

export interface ChangelogVersion {
  /** `1.4.0`, or `Unreleased`. */
  readonly version: string;
  /** `2026-11-23`; absent for what is not released. */
  readonly date?: string | undefined;
  /** The table, by the name of the row. */
  readonly head: Readonly<Record<string, string>>;
  /** Everything below the heading, the table too. */
  readonly text: string;
}

const heading = /^## \[?(?<version>[^\]\s]+)\]?(?: \((?<date>\d{4}-\d{2}-\d{2})\))?$/;
const row = /^\| (?<name>[^|]+) \| (?<value>[^|]+) \|$/;

/** Reads the versions of a changelog, newest first. Pure. */
export function readChangelog(text: string): readonly ChangelogVersion[] {
  const [, ...sections] = text.split(/^(?=## )/m);
  return sections.map((section) => {
    const [first = '', ...lines] = section.split('\n');
    const { version = first, date } = heading.exec(first)?.groups ?? {};
    const rows = lines.map((line) => row.exec(line)?.groups).filter((groups) => groups !== undefined);
    const head = Object.fromEntries(rows.map(({ name = '', value = '' }) => [name.trim(), value.trim()]));
    return { version, date, head, text: lines.join('\n').trim() };
  });
}

/** What is missing before a version can be released, as sentences; none if it can. Pure. */
export function releaseProblems(versions: readonly ChangelogVersion[], version: string): readonly string[] {
  const newest = versions.find(({ date }) => date !== undefined);
  const found = versions.find((one) => one.version === version);
  if (found === undefined) {
    return [`CHANGELOG.md has no "## ${version} (DATE)": rename "## [Unreleased]", and begin a new one above it`];
  }
  if (found.date === undefined) return [`CHANGELOG.md has no date beside ${version}: "## ${version} (2026-11-23)"`];
  if (newest !== found)
    return [`the newest version of CHANGELOG.md is ${newest?.version ?? 'none'}, and package.json says ${version}`];
  return missingRows(found);
}

/** The rows of the table that a version lacks, as sentences. Pure. */
export function missingRows({ version, head }: ChangelogVersion): readonly string[] {
  return headFields
    .filter((field) => (head[field] ?? '') === '')
    .map(
      (field) => `CHANGELOG.md, ${version}: the table has no row "${field}"; if there is nothing to say, say "none"`,
    );
}
