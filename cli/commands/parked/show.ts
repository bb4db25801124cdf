import type { ParkableItem } from '../../../shared/ledger/items.ts';
import type { Stored } from '../../../shared/ledger/ledger.ts';
import type { CommandResult } from '../../command.ts';
import type { CommandDeps } from '../../deps.ts';
import { UsageError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { columns, type Paint, printable } from '../../output.ts';
import { entriesOf, findParked, type ParkedEntry } from '../../parked-rows.ts';

/** `autopilot parked show ID…`: everything that is known about rows, their messages included. */
export async function showCommand(ids: readonly string[], deps: CommandDeps): Promise<CommandResult> {
  if (ids.length === 0) throw new UsageError('parked show needs an id: autopilot parked list shows them');
  const rows = await findParked(await deps.stage.ledger(), ids);
  const entries = entriesOf(rows);
  const shown = rows.map((row, index) => ({ ...entries[index], row }));
  return {
    exitCode: exitCodes.done,
    data: { parked: shown },
    render: (paint) => rows.flatMap((row, index) => rowLines(row, entries[index], paint)),
  };
}

function rowLines(row: Stored<ParkableItem>, entry: ParkedEntry | undefined, paint: Paint): readonly string[] {
  const { parked, outcome } = row;
  const facts = [
    ['about', `${row.kind} ${printable(entry?.subject ?? row.pk)}`],
    ['outcome', [outcome?.kind ?? 'none yet', outcome?.reason, outcome?.at].filter(Boolean).join('  ')],
    ['detail', printable(outcome?.detail ?? '')],
    ['next', row.openState === 'PARKED' ? (entry?.nextStep ?? '') : 'it is not parked any more'],
    ['look for', printable(parked?.lookFor ?? '')],
    [
      'seen',
      parked === undefined
        ? ''
        : `${parked.firstSeen} to ${parked.lastSeen}, ${parked.attempts} attempt${parked.attempts === 1 ? '' : 's'}`,
    ],
    ['evidence', evidenceOf(parked)],
    ['key', row.pk],
    ...(row.resolutions ?? []).map((made) => [
      'decided',
      `${made.decision} by ${made.by} at ${made.at}: ${printable(made.reason)}`,
    ]),
  ].filter(([, text]) => text !== '');
  return [
    paint('bold', entry?.id ?? row.pk),
    ...columns(facts).map((line) => `  ${line}`),
    ...(parked === undefined
      ? []
      : [`  message, kept for the ${parked.queue} queue:`, ...messageLines(parked.message)]),
  ];
}

function evidenceOf(parked: ParkableItem['parked']): string {
  if (parked === undefined) return '';
  const { httpStatus, errorCode, requestSent, requestId } = parked;
  return [
    httpStatus === undefined ? '' : `HTTP ${httpStatus}`,
    errorCode ?? '',
    requestSent === undefined ? '' : requestSent ? 'the request was sent' : 'the request was not sent',
    requestId === undefined ? '' : `request ${requestId}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function messageLines(message: string): readonly string[] {
  let text = message;
  try {
    text = JSON.stringify(JSON.parse(message), null, 2);
  } catch {
    // A message that cannot be read is often why it is parked: it is shown as it came.
  }
  return text.split('\n').map((line) => `    ${printable(line)}`);
}
