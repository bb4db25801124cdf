import type { ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';

/** A gateway as synth resolves it without a setting; fields over the defaults. */
export function aResolvedGateway(fields: Partial<ResolvedGateway> = {}): ResolvedGateway {
  return {
    baseUrl: 'https://gateway.example.com',
    status: { stop: 'cancelled' },
    startLead: 'PT1M',
    requestsPerSecond: { datasets: 4, runs: 0.5, reads: 2 },
    alreadyInState: { start: [], stop: [] },
    startsRepeatSafely: true,
    postMayRepeatOn: [],
    ...fields,
  };
}
