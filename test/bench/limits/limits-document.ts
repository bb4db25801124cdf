import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { configurations, ofType, synthesize } from '../../infra/template.ts';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';
import { countBatch } from '../cost/count-batch.ts';
import { countUpload } from '../cost/count-upload.ts';
import { uploadsConcurrency } from '../drain/drain.ts';
import { type QuotaName, quotas, quotasAsOf } from './quotas.ts';

/** The page whose table is made here. */
export const limitsPath = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'limits.md');

/** One quota, and what of it is spent. */
interface Budget {
  readonly quota: QuotaName;
  /** Who spends it, and on what. */
  readonly who: string;
  readonly binds: string;
}

/** Large enough that a whole number of environments says no less. */
const fastRate = 500;
const uploadsPerHour = 1e6 / 24;

/** The page with what each quota allows: quotas, counted uploads and the synthesized example. */
export async function freshLimitsDocument(): Promise<string> {
  const rows = (await budgets()).map(({ quota, who, binds }) => {
    const { value, unit, source, isAdjustable } = quotas[quota];
    return `| [${amount(value)}](${source}) ${unit} (${isAdjustable ? 'adjustable' : 'fixed'}) | ${who} | ${binds} |`;
  });
  const table = ['| quota | who spends it | binds at |', '|---|---|---|', ...rows].join('\n');
  const says = `Quotas are the defaults of an account in one of the larger Regions, as their pages said on ${quotasAsOf}.`;
  const part = { name: 'budgets', command: 'npm run docs -- limits' };
  return replaceBetween(await readFile(limitsPath, 'utf8'), part, `${says}\n\n${table}\n`);
}

async function budgets(): Promise<readonly Budget[]> {
  const { writeUnits, openIndexWriteUnits, objectReads } = await countUpload();
  const { recentBytes } = await countBatch();
  const { workers } = await synthesize(configurations.example);
  const resources = Object.keys(workers.resources).length;
  const schedules = ofType(workers, 'AWS::Scheduler::Schedule').length;
  const free = quotas.stackResources.value - (resources - schedules);
  const units = writeUnits + Math.ceil(recentBytes / 1024) / uploadsBatchSize;
  const perSecond = (quota: QuotaName, spent: number) => `${amount(Math.floor(quotas[quota].value / spent))} uploads/s`;
  return [
    {
      quota: 'lambdaConcurrency',
      who: `register-datasets: rate × 0.2 s ÷ ${uploadsAtOnce}, ${uploadsConcurrency(fastRate)} for ${fastRate}/s; update-campaign-runs: rate × 0.3 s; the others: about one each`,
      binds: perSecond('lambdaConcurrency', uploadsConcurrency(fastRate) / fastRate),
    },
    {
      quota: 'queueInFlight',
      who: 'uploads that wait for a gateway that is down',
      binds: `${amount(quotas.queueInFlight.value / uploadsPerHour)} hours of an outage at a million uploads a day`,
    },
    {
      quota: 'schedulerInvocations',
      who: 'the schedules of one minute',
      binds: `${amount(60 * quotas.schedulerInvocations.value)} schedules of one minute; the rest come in the next`,
    },
    {
      quota: 'stackResources',
      who: `each schedule and watch is one resource of the workers stack; of ${resources} of the example ${schedules} are schedules`,
      binds: `${amount(free)} schedules and watches`,
    },
    {
      quota: 'keyWrites',
      who: `the index \`open\`: each upload enters and leaves one key, ${openIndexWriteUnits} units`,
      binds: perSecond('keyWrites', openIndexWriteUnits),
    },
    {
      quota: 'newTableWrites',
      who: `all writes of a stage that was deployed today, ${amount(units)} units an upload`,
      binds: perSecond('newTableWrites', units),
    },
    { quota: 'tableWrites', who: 'all writes', binds: perSecond('tableWrites', units) },
    {
      quota: 'objectReads',
      who: 'register-datasets: a GET if the rule checks, else a HEAD; one more for a sidecar or the latest version',
      binds: `${perSecond('objectReads', objectReads)} under one prefix`,
    },
    {
      quota: 'putEvents',
      who: 'starts, stops, parked work; uploads only if their rule announces them',
      binds: `${amount(quotas.putEvents.value)} starts a second`,
    },
  ];
}

/** A number for people: `1,000,000`, `20.1`. */
function amount(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}
