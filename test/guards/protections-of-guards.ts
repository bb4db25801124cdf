import type { Protection } from './protection.ts';

const runs = 'test/unit/functions/update-campaign-runs';
const atWork = ['guards', 'blackouts', 'stop-previous', 'observe'].map((name) => `${runs}/${name}.test.ts`);
const everyOrder = [`${runs}/guards.property.test.ts`];
const verdicts = ['test/unit/shared/guards/judge.test.ts'];

/** What keeps a start from going out when it must not, whoever asks for it. */
export const guardProtections: readonly Protection[] = [
  {
    name: 'nothing is started while the stage is frozen',
    file: 'shared/guards/guards-of-time.ts',
    from: "const freeze = switches.find(({ scope, isOn }) => scope === 'stage' && isOn);",
    to: "const freeze = switches.find(({ scope, isOn }) => scope === 'stage' && !isOn);",
    tests: everyOrder,
  },
  {
    name: 'a freeze that comes while a start is on its way is obeyed',
    file: 'functions/update-campaign-runs/start-run.ts',
    from: 'campaign.reading === undefined ? first : await askGuards(start, campaign.reading);',
    to: 'first;',
    tests: atWork,
  },
  {
    name: 'nothing is started that its campaign or schedule is paused for',
    file: 'shared/guards/guards-of-time.ts',
    from: "const pause = switches.find(({ scope, isOn }) => scope !== 'stage' && isOn);",
    to: "const pause = switches.find(({ scope, isOn }) => scope !== 'stage' && !isOn);",
    tests: atWork,
  },
  {
    name: 'a start that is older than its validity is passed over',
    file: 'shared/guards/guards-of-time.ts',
    from: 'if (now <= until) return undefined;',
    to: 'if (now.getTime() <= Infinity) return undefined;',
    tests: [`${runs}/hard-nights.test.ts`, ...verdicts],
  },
  {
    name: 'nothing is started in a blackout',
    file: 'shared/guards/guards-of-time.ts',
    from: 'if (covering === undefined) return undefined;',
    to: "if (covering?.blackout.name !== '') return undefined;",
    tests: everyOrder,
  },
  {
    name: 'a blackout is judged at the instant of effect',
    file: 'functions/update-campaign-runs/ask-guards.ts',
    from: 'effectAt: new Date(startTimes(command, policy, now).effectAt),',
    to: 'effectAt: now,',
    tests: atWork,
  },
  {
    name: 'a start while a run of its campaign is in flight is passed over',
    file: 'shared/guards/guards-of-campaign.ts',
    from: 'if (other === undefined) return undefined;',
    to: "if (other?.commandId !== '') return undefined;",
    tests: everyOrder,
  },
  {
    name: 'a run in flight stays known when another starts beside it',
    file: 'functions/update-campaign-runs/guard-rows.ts',
    from: 'const reserved = withReservations(held, [inFlight, ...beside]);',
    to: 'const reserved = withReservations(held, [inFlight, ...beside].slice(0, 1));',
    tests: atWork,
  },
  {
    name: 'the stop of a start in doubt is due when its first attempt said so',
    file: 'functions/update-campaign-runs/start-run.ts',
    from: 'return isFirst ? times : { ...times, stopDueAt: stopDue.at };',
    to: 'return isFirst ? times : { ...times };',
    tests: atWork,
  },
  {
    name: 'a run that a newer start began is not stopped for an older one',
    file: 'shared/guards/guards-of-campaign.ts',
    from: 'if (issuedAt === undefined) return true;',
    to: "if (issuedAt !== '') return true;",
    tests: atWork,
  },
  {
    name: 'a campaign that ran a short time ago is left alone',
    file: 'shared/guards/guards-of-campaign.ts',
    from: 'effectAt.getTime() - lastMs >= gapMs) return undefined;',
    to: 'effectAt.getTime() > 0) return undefined;',
    tests: atWork,
  },
  {
    name: 'no start goes beyond the budget of the month',
    file: 'shared/guards/guards-of-campaign.ts',
    from: 'if (used < startsPerMonth ||',
    to: 'if (used < Infinity ||',
    tests: everyOrder,
  },
  {
    name: 'a start counts in the write that reserves its campaign',
    file: 'functions/update-campaign-runs/guard-rows.ts',
    from: 'return where === undefined ? reserved : countStart(reserved, where, command.id, now);',
    to: 'return where === undefined || now.getTime() > 0 ? reserved : countStart(reserved, where, command.id, now);',
    tests: everyOrder,
  },
  {
    name: 'a start that may have been made is not given back to the budget',
    file: 'functions/update-campaign-runs/start-reservation.ts',
    from: 'const free = mayHaveBegun(start) ? withoutReservation : returnReservation;',
    to: 'const free = mayHaveBegun(start) ? returnReservation : returnReservation;',
    tests: atWork,
  },
  {
    name: 'a start that was not made is given back to the budget',
    file: 'functions/update-campaign-runs/start-reservation.ts',
    from: 'const free = mayHaveBegun(start) ? withoutReservation : returnReservation;',
    to: 'const free = mayHaveBegun(start) ? withoutReservation : withoutReservation;',
    tests: atWork,
  },
  {
    name: 'a start that is put off waits in the ledger',
    file: 'functions/update-campaign-runs/defer-start.ts',
    from: "openState: 'DEFERRED',",
    to: "openState: 'ENDED',",
    tests: atWork,
  },
  {
    name: 'of several starts of a run that are put off one is started',
    file: 'functions/update-campaign-runs/defer-start.ts',
    from: 'if (newest === undefined || !isNewer(newest, start.work.command)) return undefined;',
    to: "if (newest === undefined || newest.id !== '') return undefined;",
    tests: atWork,
  },
  {
    name: 'the validity of a start that is put off begins when the blackout is over',
    file: 'shared/guards/validity.ts',
    from: 'deferredUntil === undefined ? 0 : Date.parse(deferredUntil)',
    to: 'deferredUntil === undefined ? 0 : 1',
    tests: atWork,
  },
  {
    name: 'a start in doubt asks the guards before it is sent again',
    file: 'functions/update-campaign-runs/start-run.ts',
    from: "if (judged.kind !== 'apply') return inDoubt(judged.detail);",
    to: "if (judged.kind === 'defer') return inDoubt(judged.detail);",
    tests: [...atWork, ...everyOrder],
  },
  {
    name: 'what is only observed is not told as done',
    file: 'functions/update-campaign-runs/conclude.ts',
    from: "if (outcome?.kind !== 'applied' || isObserved === true) return undefined;",
    to: "if (outcome?.kind !== 'applied') return undefined;",
    tests: atWork,
  },
];
