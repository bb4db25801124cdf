import { columns, outcomeWord } from '../terminal/output.ts';
import type { When } from '../terminal/times.ts';
import { counted } from '#operator/readable.ts';
import { pendingFacts } from '../runs/pending-lines.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import type { ShownVersion } from '#operator/uploads/shown-work.ts';

/** An object with what became of each version. */
export function objectLines(
  key: string,
  versions: readonly ShownVersion[],
  screen: When & { readonly paint: Paint },
): readonly string[] {
  const { paint, note } = screen;
  const count = counted(versions.length, 'version');
  return [
    `${paint('bold', key)}  ${[count, note].filter((part) => part !== '').join(', ')}`,
    ...versions.flatMap((version) => [
      '',
      `${paint('bold', version.versionId)}  ${stateOf(version, paint)}`,
      ...columns(factsOf(version, screen)).map((line) => `  ${line}`),
    ]),
  ];
}

function stateOf({ state, reason, isObserved }: ShownVersion, paint: Paint): string {
  const word = state === 'under way' || state === 'not seen yet' ? paint('cyan', state) : outcomeWord(paint, state);
  return [isObserved ? 'observed:' : '', word, reason ?? ''].filter((part) => part !== '').join(' ');
}

function factsOf(version: ShownVersion, when: When): readonly (readonly [string, string])[] {
  const {
    uploadedAt,
    at,
    datasetId,
    datasetName,
    rule,
    commandIds = [],
    resolutions = [],
    parkedId,
    pending,
  } = version;
  const name = datasetName === undefined ? '' : ` (${datasetName})`;
  const facts: readonly (readonly [string, string])[] = [
    ['uploaded', uploadedAt === undefined ? 'the version is gone from the bucket' : when.at(uploadedAt)],
    ['dataset', datasetId === undefined ? '' : `${datasetId}${name}`],
    ['what came of it', detailOf(version)],
    ['when', at === undefined ? '' : when.at(at)],
    ...(pending === undefined ? [] : pendingFacts(pending, when)),
    ['rule', rule ?? ''],
    ['file', fileOf(version)],
    ['commands', commandIds.join(', ')],
    ...resolutions.map(
      ({ decision, by, at: decidedAt, reason }) =>
        ['decided', `${decision} by ${by} at ${when.at(decidedAt)}: ${reason}`] as const,
    ),
    ['parked', parkedId === undefined ? '' : `autopilot parked show ${parkedId}`],
  ];
  return facts.filter(([, text]) => text !== '');
}

function detailOf({ state, detail }: ShownVersion): string {
  return state === 'not seen yet'
    ? 'it waits in its queue; what got lost is found within half an hour'
    : (detail ?? '');
}

function fileOf({ checked }: ShownVersion): string {
  if (checked === undefined) return '';
  const { rows, blocking, repeated } = checked;
  const repeats = repeated === 0 ? '' : `, ${repeated} of them with a prompt of an earlier row`;
  return `${counted(rows, 'row')}${repeats}: ${blocking} true, ${rows - blocking} false`;
}
