import { type HistoryEntry, toldEntries } from '#operator/history/history-entry.ts';
import { isPending, pendingCommand, type PendingWork, uploadAtGate } from '#operator/outcomes/pending-work.ts';
import { decisionWords } from '#operator/parked/parked-rows.ts';
import { counted } from '#operator/readable.ts';
import { type GateStatus, readGate } from '#operator/stage/gate-status.ts';
import { findWork, toShownVersion, type ShownVersion } from '#operator/uploads/shown-work.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import type { Command } from '../terminal/command.ts';
import { verboseLines } from './history-lines.ts';
import { pendingFacts } from '../runs/run-lines.ts';
import { columns, outcomeWords } from '../terminal/output.ts';
import type { TextScreen } from '../terminal/times.ts';

export const command: Command = {
  line: {
    says: 'The result of an upload or a command.',
    more: 'Of a key it shows every version, the newest first. Each has its dataset, its time, its rule, what the check found, and who decided.',
    words: { '<WHAT>': "a key, s3://BUCKET/KEY, a dataset's id, a command's id, or the id of a parked item" },
    examples: [
      'autopilot show datasets/pii/names.csv',
      'autopilot show weeknights@2026-11-20T21:45:00Z',
      "autopilot show datasets/pii/names.csv --json | jq -r '.versions[0].datasetId'",
    ],
  },
  async run(args, deps) {
    const [word = ''] = args.positionals;
    const [found, now] = await Promise.all([findWork(word, deps), deps.now()]);
    if (found.kind === 'object') {
      const { key } = found;
      const gate = await readGate(await deps.stage.ledger(), now);
      const versions = found.versions.map((seen) => withGate(key, toShownVersion(seen), gate));
      return { data: { key, versions }, now, render: (screen) => objectLines(key, versions, screen) };
    }
    const { row } = found;
    const [entry] = await toldEntries([{ row, run: row.command.run }], deps);
    if (entry === undefined) throw new Error('one command is one entry');
    if (!isPending(row)) return { data: { command: entry }, now, render: (screen) => verboseLines([entry], screen) };
    // A row of which no attempt has ended says nothing to list.
    const pending = row.openState === undefined ? undefined : pendingCommand(row);
    return {
      data: { command: { ...entry, outcome: 'under way', pending } },
      now,
      render: (screen) => underWayLines(entry, pending, screen),
    };
  },
};

/** A closed gate holds uploads back before they have a row. */
function withGate(key: string, version: ShownVersion, gate: GateStatus): ShownVersion {
  const { versionId, state, uploadedAt: since = '' } = version;
  const pending =
    state === 'not seen yet' && key.startsWith(datasetsPrefix)
      ? uploadAtGate({ id: key, versionId, since }, gate)
      : undefined;
  return pending === undefined ? version : { ...version, pending };
}

function underWayLines(
  { id, askedBy, askedAt }: HistoryEntry,
  pending: PendingWork | undefined,
  screen: TextScreen,
): readonly string[] {
  const facts = pending === undefined ? [] : pendingFacts(pending, screen);
  return [
    `${id}: under way, requested by ${askedBy.kind} ${askedBy.name} at ${screen.at(askedAt)}`,
    ...columns(facts).map((line) => `  ${line}`),
  ];
}

/** An object with what became of each version. */
function objectLines(key: string, versions: readonly ShownVersion[], screen: TextScreen): readonly string[] {
  const { paint, note } = screen;
  const count = counted(versions.length, 'version');
  return [
    `${paint('bold', key)}  ${[count, note].join(', ')}`,
    ...versions.flatMap((version) => [
      '',
      `${paint('bold', version.versionId)}  ${outcomeWords(version.state, version, paint)}`,
      ...columns(factsOf(version, screen)).map((line) => `  ${line}`),
    ]),
  ];
}

function factsOf(version: ShownVersion, screen: TextScreen): readonly (readonly [string, string])[] {
  const { uploadedAt, at, datasetId, datasetName, rule, resolutions = [], parkedId, pending } = version;
  const name = datasetName === undefined ? '' : ` (${datasetName})`;
  const facts: readonly (readonly [string, string])[] = [
    ['uploaded', uploadedAt === undefined ? 'the version is gone from the bucket' : screen.at(uploadedAt)],
    ['dataset', datasetId === undefined ? '' : `${datasetId}${name}`],
    ['result', detailOf(version)],
    ['when', at === undefined ? '' : screen.at(at)],
    ...(pending === undefined ? [] : pendingFacts(pending, screen)),
    ['rule', rule ?? ''],
    ['file', fileOf(version)],
    ...resolutions.map(
      (made) => ['decided', `${decisionWords(made)} at ${screen.at(made.at)}: ${made.reason}`] as const,
    ),
    ['parked', parkedId === undefined ? '' : screen.line(['autopilot', 'parked', 'show', parkedId])],
  ];
  return facts.filter(([, text]) => text !== '');
}

function detailOf({ state, detail, pending }: ShownVersion): string {
  return state === 'not seen yet' && pending === undefined
    ? 'it waits in its queue; what got lost is found within half an hour'
    : (detail ?? '');
}

function fileOf({ checked }: ShownVersion): string {
  if (checked === undefined) return '';
  const { rows, blocking, repeated } = checked;
  const repeats = repeated === 0 ? '' : `, ${repeated} of them with a prompt of an earlier line`;
  return `${counted(rows, 'row')}${repeats}: ${blocking} true, ${rows - blocking} false`;
}
