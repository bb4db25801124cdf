import type { Protection } from './protection.ts';

const uploads = 'test/unit/functions/register-datasets';
const states = [`${uploads}/crashes.test.ts`, `${uploads}/upload-states.test.ts`];
const sending = [`${uploads}/send-dataset.test.ts`, `${uploads}/late-answer.test.ts`];

/** What keeps a dataset from being made twice, and an upload from being lost. */
export const uploadProtections: readonly Protection[] = [
  {
    name: 'the mark SENDING is written before the request',
    file: 'functions/register-datasets/claim-upload.ts',
    from: 'const sending = await deps.ledger.write(claimed, marked);',
    to: 'const sending = { ...marked, version: claimed.version, writer: claimed.writer };',
    tests: [`${uploads}/crashes.test.ts`],
  },
  {
    name: 'an upload whose sender died is never claimed again',
    file: 'functions/register-datasets/upload-states.ts',
    from: "?? { kind: 'mark-unknown' };",
    to: "?? { kind: 'claim', crashes: row.crashes };",
    tests: states,
  },
  {
    name: 'a lease that holds keeps a second worker away from a request that is being sent',
    file: 'functions/register-datasets/upload-states.ts',
    from: "return untilPast(row.leaseUntil, now, 'another worker sends it') ?? { kind: 'mark-unknown' };",
    to: "return { kind: 'mark-unknown' };",
    tests: states,
  },
  {
    name: 'only the owner of the request writes down how it ended',
    file: 'functions/register-datasets/send-dataset.ts',
    from: "if (current.state === 'SENDING') return current.owner === sending.owner;",
    to: "if (current.state === 'SENDING') return true;",
    tests: sending,
  },
  {
    name: 'a failure is written into the row of its own request only',
    file: 'functions/register-datasets/send-dataset.ts',
    from: "current.state === 'SENDING' && current.owner === sending.owner\n",
    to: "current.state === 'SENDING'\n",
    tests: sending,
  },
  {
    name: 'an id in hand settles a row that somebody took for unknown',
    file: 'functions/register-datasets/send-dataset.ts',
    from: 'return isGuess && current.sentAt === sending.sentAt;',
    to: 'return false;',
    tests: sending,
  },
  {
    name: 'an upload that crashes its worker again and again is parked',
    file: 'functions/register-datasets/upload-states.ts',
    from: 'const mostCrashes = 3;',
    to: 'const mostCrashes = Infinity;',
    tests: states,
  },
  {
    name: 'no request is begun that the platform could cut',
    file: 'functions/register-datasets/send-budget.ts',
    from: 'return remainingMs >= budget.postMs + budget.ledgerMs;',
    to: 'return remainingMs > 0;',
    tests: [`${uploads}/send-budget.test.ts`, `${uploads}/register-upload.test.ts`],
  },
  {
    name: 'the same request with the same bytes is made once',
    file: 'functions/register-datasets/reserve-dataset.ts',
    from: "if (claim === 'binds' && holder !== undefined) return { kind: 'duplicate', of: holder };",
    to: "if (claim === 'binds') return { kind: 'mine' };",
    tests: [`${uploads}/register-upload.test.ts`],
  },
  {
    name: 'of a key whose rule takes the latest only, an older version is not registered',
    file: 'functions/register-datasets/prepare-upload.ts',
    from: 'if (current.versionId === versionId) return undefined;',
    to: "if (current.versionId !== '') return undefined;",
    tests: [`${uploads}/latest-version.test.ts`],
  },
  {
    name: 'an upload waits for its sidecar, and is not registered without',
    file: 'functions/register-datasets/read-sidecar.ts',
    from: 'if (head === undefined) return notThere(upload, rule);',
    to: "if (head === undefined) return { kind: 'fields', fields: {} };",
    tests: [`${uploads}/sidecar.test.ts`],
  },
  {
    name: 'an upload does not wait for its sidecar for ever',
    file: 'functions/register-datasets/read-sidecar.ts',
    from: 'if (leftMs <= 0) {',
    to: 'if (leftMs < -Infinity) {',
    tests: [`${uploads}/sidecar.test.ts`],
  },
  {
    name: 'a stage that only observes sends no dataset',
    file: 'functions/register-datasets/claim-upload.ts',
    from: "if (deps.mode === 'observe') return endWith(",
    to: "if (deps.mode !== 'observe' && deps.mode !== 'act') return endWith(",
    tests: [`${uploads}/observe.test.ts`],
  },
  {
    name: 'what a stage only observed is not taken for done',
    file: 'functions/_runtime/observe.ts',
    from: "if (mode === 'act') return { ...ledger, listOpen };",
    to: 'if (mode.length > 0) return { ...ledger, listOpen };',
    tests: ['test/unit/functions/_runtime/observe.test.ts', `${uploads}/observe.test.ts`],
  },
  {
    name: 'the record of an answer is tried until the time is up',
    file: 'functions/register-datasets/record-after-sending.ts',
    from: 'if (context.remainingMs() < pauseMs + reserveMs) throw error;',
    to: 'throw error;',
    tests: sending,
  },
  {
    name: 'a parked upload says why',
    file: 'functions/register-datasets/upload-rows.ts',
    from: "outcome: ended(base, 'parked', { reason, detail }) });",
    to: "outcome: ended(base, 'parked', { detail }) });",
    tests: [`${uploads}/register-upload.test.ts`],
  },
  {
    name: 'an upload that could not be done within a day is parked',
    file: 'shared/ledger/horizon.ts',
    from: 'const horizonMs = 24 * 60 * 60_000;',
    to: 'const horizonMs = Infinity;',
    tests: [`${uploads}/register-upload.test.ts`],
  },
  {
    name: 'the follow-ups of an upload that is registered are repeated when its message comes again',
    file: 'functions/_runtime/report-once.ts',
    from: '    await work.followUp();',
    to: '    if (!work.isRepeat) await work.followUp();',
    tests: [`${uploads}/crashes.test.ts`, 'test/unit/functions/_runtime/report-once.test.ts'],
  },
  {
    name: 'a key is decoded as S3 encodes it: plus signs first',
    file: 'shared/uploads/object-key.ts',
    from: "decodeURIComponent(rawKey.replaceAll('+', ' '))",
    to: "decodeURIComponent(rawKey).replaceAll('+', ' ')",
    tests: ['test/unit/shared/uploads/object-events.test.ts'],
  },
  {
    name: 'an event of another bucket is not acted on',
    file: 'functions/register-datasets/triage.ts',
    from: 'object.bucket !== ours.bucket',
    to: 'false',
    tests: [`${uploads}/register-upload.test.ts`, `${uploads}/handle-upload-message.test.ts`],
  },
];
