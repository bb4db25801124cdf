import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, createUpdateBench } from './update-bench.ts';

export const minutes = (count: number) => count * 60_000;
export const hours = (count: number) => count * 3_600_000;

/** A start of the smoke run at ten. */
export const atTen = (fields: Partial<CampaignRunCommand> = {}) => aCommand({ id: 'at-ten', ...fields });

/** A start of the nightly run, whose ids are listed, at ten. */
export const nightly = (id: string, fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id, run: 'nightly', ...fields });

/** A stop by the name of the smoke run, five minutes after ten. */
export const aStop = (fields: Partial<CampaignRunCommand> = {}) =>
  aCommand({ id: 'stop', action: 'stop', issuedAt: '2026-11-20T22:05:00Z', ...fields });

export const operator = { kind: 'operator', name: 'ann' } as const;

/** A blackout between two instants. */
export function blackout(starts: 'skip' | 'defer', from: string, to: string): ResolvedBlackout {
  return { name: 'year-end', starts, window: { kind: 'once', from, to } };
}

/** A bench five minutes after ten, whose smoke run was started at ten. */
export async function running(options: Parameters<typeof createUpdateBench>[0] = {}) {
  const bench = createUpdateBench(options);
  await bench.deliver(atTen());
  bench.passMs(minutes(5));
  return bench;
}
