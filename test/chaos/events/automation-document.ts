import type { AutomationDocument } from '#shared/config/automation.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';

/** A campaign with its one run, made at the gateway for this chaos run. */
export interface ChaosRun {
  /** Its name in the configuration. */
  readonly name: string;
  readonly campaignId: string;
  /** One for each start. */
  readonly campaignRunIds: readonly string[];
  /** Whether a start is let through while another run of its campaign is in flight. */
  readonly overlap: 'skip' | 'allow';
  /** A blackout defers its starts as the run begins. */
  readonly isDeferred: boolean;
  /** Whether the configuration names the campaign: a start in doubt then reads whether it began. */
  readonly isReadable: boolean;
}

/** Prefixes of the upload rules, by what they stand for. */
export const chaosPrefixes = {
  /** The file's name is its fileId; the file is looked into. */
  checked: 'datasets/checked/',
  /** The same, and the file is not looked into. */
  raw: 'datasets/raw/',
  /** The fileId comes from the object's metadata or not at all. */
  described: 'datasets/described/',
  /** Not looked into; each starts a run once it is registered. */
  starting: 'datasets/starting/',
  /** No rule takes it. */
  unruled: 'datasets/elsewhere/',
} as const;

/**
 * Every eighth command is about the same run in the mean: enough for orders to matter, few enough
 * for most commands to take effect.
 */
const commandsPerRun = 8;
const mostRuns = 250;
/** Of two campaigns one lets starts overlap. */
const overlapEvery = 2;
/** Of three campaigns one has a blackout at first. */
const deferEvery = 3;
/** Of three campaigns the configuration names two. */
const unreadableEvery = 3;
/** More than the starts of any run. */
const idsOfRun = 30;

/** The run that uploads start: a start of its own for each, so each takes an id. */
export const runOfUploads: ChaosRun = {
  name: 'after-upload',
  campaignId: uuidOf('e', 0),
  campaignRunIds: uuidsOf('f', 500),
  overlap: 'allow',
  isDeferred: false,
  isReadable: true,
};

/** The runs for so many commands. */
export function chaosRuns(commands: number): readonly ChaosRun[] {
  const count = Math.min(mostRuns, Math.max(2, Math.ceil(commands / commandsPerRun)));
  return Array.from({ length: count }, (_, index): ChaosRun => ({
    name: `run-${index}`,
    campaignId: uuidOf('c', index),
    campaignRunIds: uuidsOf('d', idsOfRun, (index + 1) * 1000),
    overlap: index % overlapEvery === 0 ? 'allow' : 'skip',
    isDeferred: index % deferEvery === 2,
    isReadable: index % unreadableEvery !== 1,
  }));
}

/** The id that a start chooses itself, by its place: it is in no list. */
export function chosenId(place: number): string {
  return uuidOf('a', place);
}

/**
 * The automation of a chaos run: rates that a machine of two processors is busy with, and no
 * schedules of its own.
 */
export function chaosAutomation(runs: readonly ChaosRun[], now: Date): AutomationDocument {
  const campaignOf = ({ name }: ChaosRun) => `campaign-of-${name}`;
  const deferred = runs.filter(({ isDeferred }) => isDeferred).map(campaignOf);
  return {
    gateway: {
      baseUrl: 'http://127.0.0.1:1', // synthesis puts the embedded gateway's in its place
      // 120 datasets a second are four environments of register-datasets
      // (infra/config/stage-numbers.ts).
      requestsPerSecond: { datasets: 120, runs: 20, reads: 100 },
    },
    timezone: 'UTC',
    campaigns: Object.fromEntries(
      [...runs, runOfUploads].map((run) => [
        campaignOf(run),
        // Longer than any chaos run, the waiting that it passes over included: no stop but those
        // that are sent.
        {
          ...(run.isReadable ? { campaignId: run.campaignId } : {}),
          overlap: run.overlap,
          runs: { [run.name]: { campaignRunIds: run.campaignRunIds, stopAfter: '20 days' } },
        },
      ]),
    ),
    ...(deferred.length === 0
      ? {}
      : {
          blackouts: [
            {
              name: 'first-minutes',
              from: localMinute(now.getTime() - 60_000),
              to: localMinute(now.getTime() + blackoutMs),
              starts: 'defer' as const,
              campaigns: deferred,
            },
          ],
        }),
    datasets: [
      { prefix: chaosPrefixes.checked, scannerId: seedIds.scanners.pii, fileId: '{stem}', check: 'prompt-label-csv' },
      { prefix: chaosPrefixes.raw, send: 'file', check: 'none' },
      { prefix: chaosPrefixes.starting, send: 'file', check: 'none', thenStart: runOfUploads.name },
      { prefix: chaosPrefixes.described, send: 'reference', scannerVersions: ['2026-02'], check: 'prompt-label-csv' },
    ],
  };
}

/** As long as it takes to send some events and to be killed a few times. */
const blackoutMs = 4 * 60_000;

/** The stage's timezone is UTC. */
function localMinute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

function uuidsOf(kind: string, count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => uuidOf(kind, from + index));
}

function uuidOf(kind: string, index: number): string {
  return `019ba0${kind}0-0000-7000-8000-${String(index).padStart(12, '0')}`;
}
