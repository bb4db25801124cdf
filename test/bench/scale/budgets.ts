import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import type { Measured } from './measured.ts';
import { type QuotaName, quotas } from './quotas.ts';
import { backlogPerSecond } from './scenarios.ts';
import { ratesForSchedules, schedulerPerSecond } from './schedules.ts';
import { amount } from './text.ts';
import type { StackSize } from './workers-stack.ts';

/** One quota, and what of it is spent. */
export interface Budget {
  readonly quota: QuotaName;
  /** Who spends it, and on what. */
  readonly who: string;
  readonly arithmetic: string;
  readonly binds: string;
}

/** GET if the rule checks the content, else HEAD. */
const objectReadsOfUpload = 1;

/** Every budget, from what was measured. */
export function budgets(full: Measured['full'], stack: StackSize): readonly Budget[] {
  return [...ofLambda(full), ...ofQueuesAndSchedules(full, stack), ...ofLedger(full), ...ofOthers(full)];
}

function ofLambda({ backlog, schedules }: Measured['full']): readonly Budget[] {
  const { environments } = backlog;
  return [
    {
      quota: 'lambdaConcurrency',
      who: `register-datasets, rate × 0.2 s ÷ ${uploadsAtOnce}; update-campaign-runs, rate × 0.3 s; seven others, about one each`,
      arithmetic: `C: ${amount(environments)} for ${backlogPerSecond}/s, D: ${amount(schedules.environments)} for ${ratesForSchedules.runs}/s`,
      binds: perSecond('lambdaConcurrency', environments),
    },
    {
      quota: 'mappingConcurrency',
      who: 'the mapping of the uploads queue',
      arithmetic: `C: ${amount(environments)} for ${backlogPerSecond}/s`,
      binds: perSecond('mappingConcurrency', environments),
    },
  ];
}

function ofQueuesAndSchedules({ down, schedules }: Measured['full'], stack: StackSize): readonly Budget[] {
  const uploadsPerHour = 1e6 / 24;
  const others = stack.resources - stack.schedules;
  return [
    {
      quota: 'queueInFlight',
      who: 'uploads that wait for a gateway that is down',
      arithmetic: `B: ${amount(down.mostWaiting)} waited, ${amount(down.mostInFlight)} of them in flight`,
      binds: `${amount(quotas.queueInFlight.value / uploadsPerHour)} hours of an outage at a million uploads a day`,
    },
    {
      quota: 'schedulerInvocations',
      who: 'the schedules of one minute',
      arithmetic: `D: ${amount(schedules.messages)} ÷ ${amount(schedulerPerSecond)} = ${amount(schedules.messages / schedulerPerSecond)} s until the last is in the queue`,
      binds: `${amount(60 * quotas.schedulerInvocations.value)} schedules of one minute; the rest come in the next`,
    },
    {
      quota: 'stackResources',
      who: 'each schedule and watch: one resource of the workers stack',
      arithmetic: `the example: ${stack.resources}, ${stack.schedules} of them schedules; ${quotas.stackResources.value} − ${others}`,
      binds: `${amount(quotas.stackResources.value - others)} schedules and watches`,
    },
  ];
}

function ofLedger({ backlog }: Measured['full']): readonly Budget[] {
  const at = `of the busiest second at ${backlogPerSecond}/s`;
  return [
    {
      quota: 'keyWrites',
      who: 'the index `open`: each upload enters and leaves the key IN_FLIGHT',
      arithmetic: `C: ${amount(backlog.openIndexWriteUnits)} units ${at}`,
      binds: perSecond('keyWrites', backlog.openIndexWriteUnits),
    },
    {
      quota: 'keyWrites',
      who: 'the row of recent outcomes: one write a batch; a lost race leaves lines out',
      arithmetic: `C: ${amount(backlog.recentWriteUnits)} units ${at}`,
      binds: perSecond('keyWrites', backlog.recentWriteUnits),
    },
    {
      quota: 'keyReads',
      who: "the gate's row: every environment reads it again after 5 s",
      arithmetic: `C: ${amount(backlog.gateReadUnits)} units ${at}`,
      binds: perSecond('keyReads', backlog.gateReadUnits),
    },
    {
      quota: 'newTableWrites',
      who: 'all writes of a stage that was deployed today',
      arithmetic: `C: ${amount(backlog.mostWriteUnits)} units ${at}`,
      binds: perSecond('newTableWrites', backlog.mostWriteUnits),
    },
    {
      quota: 'tableWrites',
      who: 'all writes',
      arithmetic: `C: ${amount(backlog.mostWriteUnits)} units ${at}`,
      binds: perSecond('tableWrites', backlog.mostWriteUnits),
    },
  ];
}

function ofOthers({ backlog, schedules }: Measured['full']): readonly Budget[] {
  return [
    {
      quota: 'objectReads',
      who: 'register-datasets: a GET if the rule checks, else a HEAD; one more for a sidecar or the latest version',
      arithmetic: `${objectReadsOfUpload} an upload`,
      binds: `${amount(quotas.objectReads.value / objectReadsOfUpload)} uploads/s under one prefix`,
    },
    {
      quota: 'putEvents',
      who: 'starts, stops, parked work; uploads only if their rule announces them',
      arithmetic: `D: ${amount(schedules.busEvents)} in ${amount(schedules.drainSeconds)} s, ${amount(schedules.busEvents / schedules.drainSeconds)} a second`,
      binds: `${amount(quotas.putEvents.value)} starts a second`,
    },
    {
      quota: 'secretReads',
      who: 'one at each cold start, one more after a 401',
      arithmetic: `C: ${amount(backlog.environments)} once`,
      binds: `${amount(quotas.secretReads.value)} environments that start in one second`,
    },
    {
      quota: 'putLogEvents',
      who: 'Lambda, about one a second for each environment',
      arithmetic: `C: about ${amount(backlog.environments)} a second`,
      binds: `about ${amount(quotas.putLogEvents.value)} environments`,
    },
  ];
}

/** The rate at which what the backlog's rate spends is all there is. */
function perSecond(quota: QuotaName, spent: number): string {
  return `${amount(Math.floor((quotas[quota].value / spent) * backlogPerSecond))} uploads/s`;
}
