import * as z from 'zod';
import type { SettingsAnswer } from '../api.ts';

/** The deployed configuration as the page shows it: what is configured, a line for each, with what it does. */

const run = z.object({ name: z.string(), campaign: z.string() }).loose();
const blackout = z
  .object({ name: z.string(), starts: z.enum(['skip', 'defer']), campaigns: z.array(z.string()).optional() })
  .loose();
const rule = z.object({ prefix: z.string(), check: z.string().optional(), fileId: z.string().optional() }).loose();

/** What the page shows of a configuration; other parts go along as they are. No secret is in it. */
export const shownConfig = z
  .object({
    mode: z.enum(['act', 'observe']).optional(),
    timezone: z.string().optional(),
    runs: z.record(z.string(), run).optional(),
    blackouts: z.array(blackout).optional(),
    datasetRules: z.array(rule).optional(),
  })
  .loose();

type Line = SettingsAnswer['table'][number];

/** In words, a line for each part of the configuration. Pure. */
export function settingsTable(config: z.infer<typeof shownConfig>): readonly Line[] {
  return [
    ...(config.mode === undefined ? [] : [modeLine(config.mode)]),
    ...Object.values(config.runs ?? {}).map(runLine),
    ...(config.blackouts ?? []).map(blackoutLine),
    ...(config.datasetRules ?? []).map(ruleLine),
  ];
}

function modeLine(mode: 'act' | 'observe'): Line {
  const does =
    mode === 'act'
      ? 'starts, stops and registers at the gateway'
      : 'reads and judges everything, and sends nothing that changes the gateway';
  return { part: 'mode', name: mode, does };
}

function runLine({ name, campaign, ...settings }: z.infer<typeof run>): Line {
  return { part: 'run', name, does: `belongs to the campaign ${campaign}`, settings: wordsOf(settings) };
}

function blackoutLine({ name, starts, campaigns, ...settings }: z.infer<typeof blackout>): Line {
  const whose = campaigns === undefined ? 'every start' : `starts of ${campaigns.join(', ')}`;
  const does = starts === 'skip' ? `skips ${whose}` : `puts ${whose} off until its end`;
  return { part: 'blackout', name, does, settings: wordsOf(settings) };
}

function ruleLine({ prefix, ...settings }: z.infer<typeof rule>): Line {
  return {
    part: 'upload rule',
    name: prefix,
    does: 'registers files under it as datasets',
    settings: wordsOf(settings),
  };
}

function wordsOf(settings: Readonly<Record<string, unknown>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
