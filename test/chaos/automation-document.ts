import type { AutomationDocument } from '../../shared/config/automation.ts';
import { seedIds } from '../../gateway/seed-ids.ts';

/** A campaign with its one run, made at the gateway for this chaos run. */
export interface ChaosRun {
  /** Its name in the configuration. */
  readonly name: string;
  readonly campaignId: string;
  readonly campaignRunId: string;
  /** Whether a start is let through while it is in flight. */
  readonly overlap: 'skip' | 'allow';
}

/** Prefixes of the upload rules, by what they stand for. */
export const chaosPrefixes = {
  /** The file's name is its fileId; the file is looked into. */
  checked: 'datasets/checked/',
  /** The same, and nobody looks into the file. */
  raw: 'datasets/raw/',
  /** The fileId comes from the object's metadata or not at all. */
  described: 'datasets/described/',
  /** No rule takes it. */
  unruled: 'datasets/elsewhere/',
} as const;

/** Every eighth command is about the same run in the mean: enough for orders to matter, few enough for wishes to come true. */
const commandsPerRun = 8;
const mostRuns = 250;
/** Of four campaigns one lets starts overlap. */
const allowEvery = 4;

/** The runs for so many commands. */
export function chaosRuns(commands: number): readonly ChaosRun[] {
  const count = Math.min(mostRuns, Math.max(2, Math.ceil(commands / commandsPerRun)));
  return Array.from({ length: count }, (_, index) => ({
    name: `run-${index}`,
    campaignId: uuidOf('c', index),
    campaignRunId: uuidOf('d', index),
    overlap: index % allowEvery === 0 ? 'allow' : 'skip',
  }));
}

/** The automation of a chaos run: rates that a machine of two processors is busy with, and no schedules of its own. */
export function chaosAutomation(runs: readonly ChaosRun[]): AutomationDocument {
  return {
    gateway: {
      baseUrl: 'http://127.0.0.1:1', // synthesis puts the embedded gateway's in its place
      status: { start: 'running', stop: 'stopped' },
      // 120 datasets a second are four environments of register-datasets (infra/config/concurrency.ts).
      requestsPerSecond: { datasets: 120, runs: 100, reads: 100 },
    },
    timezone: 'UTC',
    campaigns: Object.fromEntries(
      runs.map(({ name, campaignId, campaignRunId, overlap }) => [
        `campaign-of-${name}`,
        // Longer than any chaos run, the waiting that it passes over included: no stop but those that are sent.
        { campaignId, overlap, runs: { [name]: { campaignRunId, stopAfter: '20 days' } } },
      ]),
    ),
    datasets: [
      { prefix: chaosPrefixes.checked, scannerId: seedIds.scanners.pii, fileId: '{stem}', check: 'prompt-label-csv' },
      { prefix: chaosPrefixes.raw, fileId: '{stem}', check: 'none' },
      { prefix: chaosPrefixes.described, scannerVersions: '2026-02', check: 'prompt-label-csv' },
    ],
  };
}

function uuidOf(kind: string, index: number): string {
  return `019ba0${kind}0-0000-7000-8000-${String(index).padStart(12, '0')}`;
}
