import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import { type Evidence, type Fate, type Judged, type RegisteredDataset, saysWhy } from './evidence.ts';
type Upload = Evidence['uploads'][number];

/** Uploads of one tag, and the datasets that the gateway made of them. */
interface Group {
  readonly uploads: readonly Upload[];
  readonly datasets: readonly RegisteredDataset[];
}

/** Judges every upload by the gateway's datasets and by its ledger row. */
export function judgeUploads(evidence: Evidence): readonly Judged[] {
  const groups = groupByTag(evidence);
  return evidence.uploads.map((upload): Judged => {
    const group = groups.get(upload.event.tag) ?? { uploads: [upload], datasets: [] };
    const key = `${upload.event.key} (version ${upload.versionId})`;
    const judged = byLedger(upload, group);
    const history = judged.broken === undefined ? {} : { history: [upload.row, ...group.datasets] };
    return { key, ...judged, ...history };
  });
}

function groupByTag({ uploads, datasets }: Evidence): ReadonlyMap<string, Group> {
  const byTag = Map.groupBy(uploads, ({ event }) => event.tag);
  const made = Map.groupBy(datasets, ({ tag }) => tag);
  return new Map([...byTag].map(([tag, members]) => [tag, { uploads: members, datasets: made.get(tag) ?? [] }]));
}

type Verdict = Omit<Judged, 'key' | 'history'>;

function broken(fate: Fate, why: string): Verdict {
  return { fate, broken: why };
}

function byLedger(upload: Upload, group: Group): Verdict {
  const { row } = upload;
  const { uploads, datasets } = group;
  // The very same file uploaded twice is one dataset. What is too much is held against the first.
  if (upload === uploads[0] && datasets.length > 1) {
    return broken('applied twice', `${datasets.length} datasets at the gateway`);
  }
  const outcome = row?.outcome;
  if (row === undefined) return broken('lost', 'no row in the ledger');
  if (outcome === undefined) return broken('lost', `never ended: still ${row.state}`);
  return judgeBy[outcome.kind]({ right: upload.event.right, row, outcome, group });
}

/** An upload that its row says has ended. */
interface Ended {
  readonly right: Upload['event']['right'];
  readonly row: NonNullable<Upload['row']>;
  readonly outcome: RecordedOutcome;
  readonly group: Group;
}

const judgeBy: Readonly<Record<RecordedOutcome['kind'], (ended: Ended) => Verdict>> = {
  parked({ row, outcome, group }) {
    if (saysWhy(outcome, row)) return { fate: 'parked', wasApplied: group.datasets.length > 0 };
    return broken('parked without a reason', 'a person would not know what to do');
  },
  applied({ right, row, group }) {
    if (right !== 'dataset') return broken('lost', 'registered though its file or its metadata is wrong');
    if (group.datasets.some(({ id }) => id === row.datasetId)) return { fate: 'applied once' };
    return broken('lost', 'the ledger says applied, and the gateway has no such dataset');
  },
  skipped({ group: { datasets, uploads } }) {
    const other = datasets.length > 0 || uploads.some((sibling) => sibling.row?.outcome?.kind === 'parked');
    return other ? { fate: 'skipped' } : broken('lost', 'skipped as a duplicate of nothing');
  },
  ignored({ right }) {
    return right === 'nothing' ? { fate: 'ignored' } : broken('lost', 'ignored though a rule takes it');
  },
  superseded: () => broken('lost', 'no upload supersedes another'),
};
