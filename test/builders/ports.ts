/** What benches hand to a worker: logs, counts, and calls that fail. */
import type { LevelOf, Log, LogFields } from '#functions/_handler/function-log.ts';
import { BadStatusError } from '#shared/gateway-client/index.ts';

/** A log that keeps nothing. */
export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A log and counts, kept in their order. */
export function keptOutput() {
  const lines: { readonly level: string; readonly event: string; readonly sentence: string; fields?: LogFields }[] = [];
  const counts: { readonly metric: string; readonly value: number; readonly reason?: string; readonly run?: string }[] =
    [];
  const at = (level: string) => (event: string, sentence: string, fields?: LogFields) =>
    void lines.push({ level, event, sentence, ...(fields === undefined ? {} : { fields }) });
  const count = (metric: string, value: number, reason?: string) =>
    void counts.push({ metric, value, ...(reason === undefined ? {} : { reason }) });
  return {
    lines,
    counts,
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    count,
    level: (metric: string, value: number, of?: LevelOf) =>
      typeof of === 'object' ? void counts.push({ metric, value, ...of }) : count(metric, value, of),
    linesOf: (event: string) => lines.filter((line) => line.event === event),
    counted: (metric: string, reason?: string) =>
      counts.filter((one) => one.metric === metric && one.reason === reason).map(({ value }) => value),
  };
}

/** A call that fails with this, each time. */
export const failing = (error: unknown) => async (): Promise<never> => {
  throw error;
};

type Refusal = ConstructorParameters<typeof BadStatusError>[1];

/** What is read of the refusal of a firewall with a page of its own. */
export const ofEdge: Refusal['details'] = {
  text: '<title>Blocked</title>',
  fields: [],
  speaker: 'edge',
  shape: 'with a web page, "Blocked"',
};

/** A refusal of the gateway, without words unless some are given. */
export function statusError(status: number, more: Partial<Refusal> = {}, what = 'POST /backend/v1/datasets') {
  return new BadStatusError(what, { status, details: { text: '', fields: [] }, ...more });
}
