import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { sidecarKeyOf } from '#shared/uploads/object-key.ts';
import { isParkReason, type ParkDecision, type ParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';

/** One way on with a row: when it is the right one, and the words of its command. */
export interface Advice {
  readonly when: string;
  readonly command: readonly string[];
}

const words = (...more: readonly string[]) => ['autopilot', ...more];

/**
 * What a person can do about a parked row, the likeliest first: the exact commands for this row in this stage. Pure.
 * @param how.isReplaced - a newer version of the same object did what this one should have done
 */
export function adviceFor(
  row: ParkableRow,
  how: { readonly handle: string; readonly isReplaced: boolean },
): readonly Advice[] {
  const { handle, isReplaced } = how;
  const reason = row.outcome?.reason;
  const code = reason !== undefined && isParkReason(reason) ? reason : undefined;
  const resolve = (...more: readonly string[]) => words('parked', 'resolve', handle, ...more);
  if (isReplaced) {
    const because = ['--reason', 'a newer version took its place'];
    return [{ when: 'the newer version took its place', command: resolve('--dismiss', ...because) }];
  }
  return [
    ...runIdAdvice(row, code),
    ...uploadAdvice(row, code),
    ...decisionsAbout(row, code).map((decision): Advice => {
      switch (decision) {
        case 'applied':
          return { when: whenApplied, command: resolve('--applied', 'DATASET-ID') };
        case 'repeat':
          return { when: whenRepeated(row, code), command: resolve('--repeat') };
        case 'dismiss':
          return { when: whenDismissed(code), command: resolve('--dismiss', '--reason', whyDismissed(code)) };
      }
    }),
  ];
}

/** A start without an id needs one first. */
function runIdAdvice(row: ParkableRow, code: ParkReason | undefined): readonly Advice[] {
  const run = code === 'NO_RUN_LEFT' && row.kind === 'command' ? row.command.run : undefined;
  if (run === undefined) return [];
  return [{ when: 'first give it a run id, in the place of UUID', command: words('bind', run, 'UUID') }];
}

/** A row without its message cannot send it again: its sender has to, and the row is done with. */
function decisionsAbout({ parked }: ParkableRow, code: ParkReason | undefined): readonly ParkDecision[] {
  const usual: readonly ParkDecision[] = code === undefined ? ['repeat', 'dismiss'] : parkReasonFacts(code).decisions;
  if (parked !== undefined) return usual;
  return [...usual.filter((decision) => decision === 'applied'), 'dismiss'];
}

const whenApplied = 'it is at the gateway: its id there in the place of DATASET-ID';

function whenRepeated(row: ParkableRow, code: ParkReason | undefined): string {
  switch (code) {
    case 'POST_OUTCOME_UNKNOWN':
      return 'it is not at the gateway, and you have looked';
    case 'DUPLICATE_SUSPECTED':
      return 'what is there is something else';
    case 'START_OUTCOME_UNKNOWN':
      return 'the run does not run, and you have looked: start it now';
    default:
      return whenActionRepeated(row.kind === 'command' ? row.command.action : undefined);
  }
}

function whenActionRepeated(action: CommandRow['command']['action'] | undefined): string {
  switch (action) {
    case 'start':
      return 'once the cause is repaired; it starts the run now';
    case 'stop':
      return 'once the cause is repaired; until then the run may run, unless you stop it at the gateway';
    default:
      return 'once the cause is repaired';
  }
}

function whenDismissed(code: ParkReason | undefined): string {
  if (code === 'START_OUTCOME_UNKNOWN') return 'the run runs; its stop stays armed';
  if (code === 'CONFLICT') return 'the run is as it was wanted';
  return 'nothing more is to be done about this one';
}

function whyDismissed(code: ParkReason | undefined): string {
  if (code === 'START_OUTCOME_UNKNOWN') return 'it runs at the gateway';
  if (code === 'CONFLICT') return 'it is as wanted';
  return 'corrected and sent again';
}

function uploadAdvice(row: ParkableRow, code: ParkReason | undefined): readonly Advice[] {
  if (row.kind !== 'upload') return [];
  switch (code) {
    case 'CHECK_FAILED':
      return checkAdvice(row);
    case 'OBJECT_GONE':
    case 'VALIDATION':
      return [
        { when: 'upload the right file, FILE, in its place', command: words('upload', 'FILE', '--key', row.key) },
      ];
    case 'FILE_ID_MISSING':
      return [
        {
          when: 'upload it, FILE, with its file id in the place of ID',
          command: words('upload', 'FILE', '--key', row.key, '--file-id', 'ID'),
        },
      ];
    case 'SIDECAR_MISSING':
    case 'BAD_SIDECAR':
      return [
        {
          when: 'first put its sidecar, FILE, there',
          command: words('upload', 'FILE', '--key', sidecarKeyOf(row.key)),
        },
      ];
    default:
      return [];
  }
}

/** The check refuses a file for what is in it, or an upload for a field that its rule locks. */
function checkAdvice({
  key,
  outcome,
  problemsByRow = [],
}: Extract<ParkableRow, { kind: 'upload' }>): readonly Advice[] {
  const locked = outcome?.locked;
  if (locked === undefined) {
    const lacks = problemsByRow.flatMap((problem) => problem.lacks ?? []);
    const columns = lacks.flatMap((name) => [`--${name}-column`, 'COLUMN']);
    const named = columns.length === 0 ? '' : ', its column in the place of COLUMN';
    return [
      { when: 'see every problem of the file, FILE, by row', command: ['autopilot', 'check', 'FILE'] },
      {
        when: `upload the right file, FILE, in its place, in any form that check reads${named}`,
        command: words('upload', '--convert', 'FILE', '--key', key, ...columns),
      },
    ];
  }
  const { place, field } = locked;
  const again = { when: `upload it, FILE, again without ${field}`, command: words('upload', 'FILE', '--key', key) };
  if (place === 'metadata') return [again];
  const sidecar = words('upload', 'FILE', '--key', sidecarKeyOf(key));
  return [
    { when: `first upload its sidecar, FILE, without ${field}`, command: sidecar },
    { ...again, when: 'then FILE again' },
  ];
}
