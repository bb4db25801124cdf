import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { type CampaignRunCommand, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { RunEffect } from '../../builders/run-model.ts';
import type { SeenEntry, SeenOutcome } from '../../faults/judge/evidence.ts';
import { judge } from '../../faults/judge/judge.ts';
import { judgeUpload } from '../../faults/judge/judge-upload.ts';
import { unreasoned } from '../../faults/judge/parked.ts';
import { commandMessage } from '../events/command-events.ts';
import type { Evidence } from './evidence.ts';
import { effectsOf } from './run-effects.ts';

/** A promise that was broken, and what the ledger and the gateway know of it. */
interface Broken {
  readonly says: string;
  readonly history: readonly unknown[];
}

/** What a chaos run found. */
export interface Verdict {
  /** How many events ended so; of an event without an outcome `lost`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Parked, and its effect is at the gateway all the same. */
  readonly parkedButApplied: number;
  readonly broken: readonly Broken[];
}

/** Judges a run from outside, as the model is judged: the gateway's own store against what was sent, and the ledger against both. Pure. */
export function judgeRun(evidence: Evidence): Verdict {
  const runs = runsFrom(evidence);
  const rows = [...evidence.uploads.map(({ row }) => row), ...evidence.commands.map(({ rows: [row] }) => row)];
  const ends = Map.groupBy(rows, (row) => row?.outcome?.kind ?? 'lost');
  const parked = rows.filter((row) => row?.outcome?.kind === 'parked');
  const begun = new Set(runs.effects.map(({ by }) => by));
  return {
    counts: new Map([...ends].map(([kind, those]) => [kind, those.length])),
    parkedButApplied: parked.filter((row) => {
      if (row?.kind === 'command') return begun.has(row.id);
      return madeOf(evidence, evidence.uploads.find((upload) => upload.row === row)?.event.tag).length > 0;
    }).length,
    broken: [
      ...evidence.uploads.flatMap((upload) => brokenByUpload(upload, evidence)),
      ...brokenByRuns(runs, evidence),
      ...evidence.commands.flatMap(({ event, rows: [row] }) =>
        row === undefined && event.command === undefined ? [broken(`I1: message ${event.place} has no row`)] : [],
      ),
      ...parked.flatMap((row) =>
        row === undefined ? [] : unreasoned(row).map((lacks) => broken(`I19: ${row.pk}: ${lacks}`, row)),
      ),
      ...evidence.deadLetters.map((body) => broken('I1: a message in a dead-letter queue was not parked', body)),
    ],
  };
}

function broken(says: string, ...history: readonly unknown[]): Broken {
  return { says, history };
}

type Upload = Evidence['uploads'][number];

function madeOf({ datasets }: Evidence, tag: string | undefined): readonly string[] {
  return datasets.filter((dataset) => dataset.tag === tag).map(({ id }) => id);
}

/** Uploads of the very same file are one dataset: what is too much is held against the first of them. */
function brokenByUpload({ event, versionId, row }: Upload, evidence: Evidence): readonly Broken[] {
  const made = madeOf(evidence, event.tag);
  const siblings = evidence.uploads.filter((one) => one.event.tag === event.tag);
  const kind = row?.outcome?.kind;
  const isFirst = siblings[0]?.versionId === versionId;
  const its = isFirst ? made : made.filter((id) => id === row?.datasetId);
  const mayBeSkipped = made.length > 0 || siblings.some((one) => one.row?.outcome?.kind === 'parked');
  const wrongEnds: readonly (readonly [isWrong: boolean, says: string])[] = [
    [kind === 'applied' && event.right !== 'dataset', 'registered though its file or its metadata is wrong'],
    [kind === 'ignored' && event.right !== 'nothing', 'ignored though a rule takes it'],
    [kind === 'skipped' && isFirst && made.length > 1, `I2: ${made.length} datasets were made`],
    [kind === 'skipped' && !mayBeSkipped, 'skipped as a duplicate of nothing'],
  ];
  return [
    ...judgeUpload({ row, made: kind === 'skipped' ? [] : its }),
    ...wrongEnds.filter(([isWrong]) => isWrong).map(([, says]) => says),
  ].map((says) => broken(`${event.key} (version ${versionId}): ${says}`, row, ...made));
}

/** A command as it was sent, and its row. */
interface Sent {
  readonly command: CampaignRunCommand;
  readonly row: CommandRow | undefined;
}

/** A request that was under way as the outcome was written, and clocks that were moved between. */
const slackMs = 10_000;

function runsFrom(evidence: Evidence) {
  const { plan, startedAt, runs } = evidence;
  const sent = evidence.commands.flatMap(({ event, rows: [row] }): readonly Sent[] => {
    const known = row?.kind === 'command' ? row : undefined;
    if (event.command === undefined) return [];
    // An upload gives its command a time of its own.
    const isOfUpload = event.command.via === 'upload' && known !== undefined;
    const message = commandMessage(event, plan.commands.length, startedAt);
    const command: CampaignRunCommand = isOfUpload ? known.command : JSON.parse(message);
    return [{ command, row: known }];
  });
  const startsOf = (id: string) =>
    sent.filter(
      ({ command, row }) => command.action === 'start' && (row?.campaignRunId ?? command.campaignRunId) === id,
    );
  const changed = runs.filter(({ transitions }) => transitions.some(({ by }) => by === 'api'));
  const effects: readonly RunEffect[] = changed.flatMap((run) => effectsOf(run, startsOf(run.id)[0]?.command.id ?? ''));
  return { sent, startsOf, effects: effects.toSorted((a, b) => a.atMs - b.atMs) };
}

function brokenByRuns({ sent, startsOf, effects }: ReturnType<typeof runsFrom>, evidence: Evidence): Broken[] {
  const outcomes = new Map(
    sent.flatMap(({ command, row }): readonly (readonly [string, SeenOutcome])[] =>
      row?.outcome === undefined
        ? []
        : [
            [
              command.id,
              { ...row.outcome, atMs: Date.parse(row.outcome.at) + slackMs, row: { ...row, version: 1, writer: '' } },
            ],
          ],
    ),
  );
  const begun = effects.filter(({ kind }) => kind === 'begins');
  const says = judge({
    outcomes,
    effects,
    commands: sent.map(({ command }) => command),
    entries: new Map(begun.map((effect) => [effect.by ?? '', entryOf(effect, sent)])),
    config: { runs: guardsOf(evidence) },
    kind: { starts: 'startAt' },
    frozen: [],
    blackouts: [],
    requests: [],
    deferred: [],
    unended: new Set(),
    liedAbout: new Set(),
    latestEndMs: () => Infinity,
  });
  const shared = begun.flatMap(({ campaignRunId }) => {
    const names = startsOf(campaignRunId).map(({ command }) => command.id);
    return names.length === 1 ? [] : [`I2: ${campaignRunId} began, by these starts: ${names.join(', ') || 'none'}`];
  });
  const early = sent.flatMap(({ command: { id, issuedAt, validFor = defaultValidFor }, row }) => {
    const validUntilMs = Date.parse(issuedAt) + (durationMs(validFor) ?? 0);
    const { reason, at = '' } = row?.outcome ?? {};
    const isEarly = reason === 'MISSED_WINDOW' && Date.parse(at) <= validUntilMs;
    return isEarly ? [`${id} is skipped MISSED_WINDOW within its validity`] : [];
  });
  return [...says, ...shared, ...early].map((sentence) => {
    const about = sent.filter(({ command }) => sentence.includes(command.id)).map(({ row }) => row);
    return broken(
      sentence,
      ...about,
      ...evidence.runs.filter(({ id }) => about.some((row) => row?.campaignRunId === id)),
    );
  });
}

/** A run is to go on for longer than any chaos run. */
function entryOf({ by, atMs }: RunEffect, sent: readonly Sent[]): SeenEntry {
  const { run = '' } = sent.find(({ command }) => command.id === by)?.command ?? {};
  const due = new Date(atMs).toISOString();
  return { run, target: run, due, endsAt: due, plansStop: true, madeMs: atMs };
}

function guardsOf({ plan }: Evidence) {
  return Object.fromEntries(plan.runs.map(({ name, overlap }) => [name, { guards: { target: name, overlap } }]));
}
