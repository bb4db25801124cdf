import type { AutomationDocument } from '#shared/config/automation.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';

/** Uuids that read as what they stand for. */
export const ids = {
  campaign: '019ba000-0000-7000-8000-00000000c001',
  first: '019ba000-0000-7000-8000-00000000a001',
  second: '019ba000-0000-7000-8000-00000000a002',
  smoke: '019ba000-0000-7000-8000-00000000b001',
} as const;

/** A complete document without a fault; a test changes what it is about. */
export function validDocument(): AutomationDocument {
  return {
    gateway: { baseUrl: 'https://gateway.example.com' },
    timezone: 'Europe/Dublin',
    campaigns: {
      chat: {
        campaignId: ids.campaign,
        runs: {
          nightly: { campaignRunIds: [ids.first, ids.second], stopAfter: '8 hours', name: 'nightly {date}' },
          smoke: { campaignRunIds: [ids.smoke], stopAfter: 'PT30M' },
        },
      },
    },
    schedules: [
      { name: 'weeknights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)', startDelay: '15 minutes' },
      { name: 'by-morning', stop: 'nightly', at: 'cron(0 6 * * ? *)', timezone: 'UTC' },
    ],
    scannerPackages: [
      {
        name: 'vendor',
        every: '15 minutes',
        filters: { source: 'vendor', packageId: ['a', 'b'] },
        onChange: [{ match: { name: '*injection*' }, start: 'smoke' }],
      },
    ],
    datasets: [
      { prefix: 'datasets/', send: 'file' },
      { prefix: 'datasets/pii/', send: 'file', name: '{key}-{etag}', check: 'prompt-label-csv', thenStart: 'smoke' },
    ],
    notify: { emails: ['soc@example.com'] },
  };
}

/**
 * The document with one value set (or, by `undefined`, taken out) at a path such as
 * `schedules[0].at`.
 */
export function changed(path: string, value: unknown, document: unknown = validDocument()): unknown {
  const segments = path.split(/[.[\]]+/).filter((segment) => segment !== '');
  return set(document, segments, value);
}

/** What a document without a fault resolves to at noon of that day, and what is warned of. */
export function resolved(document: unknown, day = '2026-11-20') {
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date(`${day}T12:00:00Z`) });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const warnings = result.warnings.map(({ path, message }) => `${path}: ${message}`);
  return { ...result.automation, warnings, warned: result.warnings.map(({ path }) => path) };
}

function set(node: unknown, [segment, ...rest]: readonly string[], value: unknown): unknown {
  if (segment === undefined) return value;
  if (Array.isArray(node)) {
    const copy: unknown[] = [...node];
    copy[Number(segment)] = set(copy[Number(segment)], rest, value);
    return copy;
  }
  const copy: Record<string, unknown> = typeof node === 'object' && node !== null ? { ...node } : {};
  copy[segment] = set(copy[segment], rest, value);
  return copy;
}
