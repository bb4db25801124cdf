import type { Protection } from './protection.ts';

const runs = 'test/unit/functions/update-campaign-runs';
const nights = [`${runs}/update-campaign-run.test.ts`, `${runs}/hard-nights.test.ts`];
const lateId = [`${runs}/late-id.test.ts`];
const slowWorkers = [`${runs}/slow-worker.test.ts`];
const orders = [`${runs}/any-order.property.test.ts`, ...nights];

/** What keeps a run from being started twice, started late, or never stopped. */
export const runProtections: readonly Protection[] = [
  {
    name: 'an older wish never follows a newer one',
    file: 'functions/update-campaign-runs/run-rows.ts',
    from: 'return recorded !== undefined && compareGenerations(recorded, command) > 0;',
    to: 'return false;',
    tests: orders,
  },
  {
    name: 'a command with more than each command has is judged by its type',
    file: 'shared/messages/sure-command.ts',
    from: '|| Object.keys(input).length !== usualFields',
    to: '',
    tests: ['test/unit/shared/messages/sure-command.test.ts'],
  },
  {
    name: 'a command that has its outcome is not run again',
    file: 'functions/update-campaign-runs/update-campaign-run.ts',
    from: 'if (row?.outcome === undefined)',
    to: 'if (row?.outcome?.at !== "never")',
    tests: orders,
  },
  {
    name: 'a campaign is reserved before its start is sent',
    file: 'functions/update-campaign-runs/start-reservation.ts',
    from: 'return (await deps.ledger.write<GuardItem>(guard, reserved)) !== undefined;',
    to: 'return reserved !== undefined;',
    tests: orders,
  },
  {
    name: 'a stop is no repeat of an earlier one to a gateway that remembers what it answered',
    file: 'functions/update-campaign-runs/change-run.ts',
    from: '{ ...input, requestId: work.context.attemptId }',
    to: '{ ...input, requestId: work.context.attemptId, idempotencyKey: work.command.id }',
    tests: [`${runs}/remembering-gateway.test.ts`],
  },
  {
    name: 'every try of a start is the same one to a gateway that remembers what it answered',
    file: 'functions/update-campaign-runs/send-start.ts',
    from: 'changeRun({ ...input, idempotencyKey }',
    to: 'changeRun(input',
    tests: [`${runs}/remembering-gateway.test.ts`],
  },
  {
    name: 'a start waits for a stop that is not applied yet',
    file: 'functions/update-campaign-runs/run-rows.ts',
    from: "return wish?.action === 'stop' && !isStopped(row, wish) && refusedStop !== wish.id;",
    to: "return wish?.action === 'stop' && !isStopped(row, wish) && refusedStop === 'none';",
    tests: orders,
  },
  {
    name: 'the stop is armed before the start is sent',
    file: 'functions/update-campaign-runs/run-rows.ts',
    from: ': { stopDue: { at: times.stopDueAt, commandId: id, status: attempt.stopStatus } }),',
    to: ': {}),',
    tests: [...nights, 'test/unit/functions/watch-campaigns/due-stop-at-work.test.ts'],
  },
  {
    name: 'a start in doubt is repeated only where the campaign reads as before',
    file: 'functions/update-campaign-runs/start-run.ts',
    from: 'return isUnchanged\n',
    to: 'return isUnchanged || true\n',
    tests: nights,
  },
  {
    name: 'a start waits out the doubt of the request before it',
    file: 'functions/update-campaign-runs/doubts.ts',
    from: 'const inDoubtMs = 60_000;',
    to: 'const inDoubtMs = 0;',
    tests: [...nights, `${runs}/long-nights.test.ts`],
  },
  {
    name: 'clocks that differ by minutes send no start twice',
    file: 'functions/update-campaign-runs/doubts.ts',
    from: 'const clockMarginMs = maxAheadMs;',
    to: 'const clockMarginMs = 0 * maxAheadMs;',
    tests: [`${runs}/long-nights.test.ts`, ...orders],
  },
  {
    name: 'a stop that is due is sent',
    file: 'functions/watch-campaigns/due-stops.ts',
    from: 'if (lateMs < 0) return undefined;',
    to: 'if (lateMs >= 0) return undefined;',
    tests: ['test/unit/functions/watch-campaigns/send-due-stops.test.ts'],
  },
  {
    name: 'a due stop does not stop the next start of its run',
    file: 'functions/update-campaign-runs/stop-run.ts',
    from: "if (command.origin.kind === 'watcher' && row.stopDue === undefined) {",
    to: 'if (false) {',
    tests: ['test/unit/functions/watch-campaigns/due-stop-at-work.test.ts'],
  },
  {
    name: 'a start that ended without a run id takes none that is bound later',
    file: 'functions/update-campaign-runs/find-start.ts',
    from: 'if (ended !== undefined) return { result:',
    to: "if (ended !== undefined && ended.outcome.detail === '') return { result:",
    tests: lateId,
  },
  {
    name: 'a start that another attempt has an id for is not told as without one',
    file: 'functions/update-campaign-runs/end-start.ts',
    from: 'return noted === undefined ? { delayMs: shortWaitMs, why: idsChanged } : undefined;',
    to: "return noted?.run === '' ? { delayMs: shortWaitMs, why: idsChanged } : undefined;",
    tests: lateId,
  },
  {
    name: 'nothing is reserved for a start that has ended',
    file: 'functions/update-campaign-runs/end-start.ts',
    from: '({ ...free(guard ?? newGuard(policy.guards.target), id) }));',
    to: '(guard && newGuard(policy.guards.target) && free(guard, id)));',
    tests: slowWorkers,
  },
  {
    name: 'a start whose run is not configured any more may be running all the same',
    file: 'functions/update-campaign-runs/end-unconfigured.ts',
    from: 'return appliedStart === commandId || inDoubt?.id === commandId;',
    to: "return appliedStart === commandId || inDoubt?.id === '';",
    tests: [`${runs}/unconfigured-start.test.ts`],
  },
  {
    name: 'an id that another run has is not bound once more',
    file: 'cli/id-holders.ts',
    from: 'if (adder !== undefined) return',
    to: "if (adder?.run === '') return",
    tests: ['test/unit/cli/commands/bind.test.ts'],
  },
  {
    name: 'an id of the deployed configuration is not bound once more',
    file: 'cli/id-holders.ts',
    from: 'one.toLowerCase() === id',
    to: "one.toLowerCase() === ''",
    tests: ['test/unit/cli/commands/bind.test.ts'],
  },
];
