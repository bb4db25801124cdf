import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { namePattern } from '#shared/config/schema/names.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { listSwitches, readSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import { UsageError } from '../errors.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStageConfig, type StageConfig } from '../stage/stage-config.ts';

/** What can be paused, as the command line names it. */
const scopes = ['schedule', 'campaign'] as const;
/** An alarm's hold ends automatically; an operator ends one that the configuration no longer names. */
const resumable = [...scopes, 'alarm'] as const;
type Scope = (typeof resumable)[number];

/**
 * The schedule or campaign that a person wants to pause, checked against what is deployed: a
 * misspelt pause would hold back nothing.
 */
export async function subjectToPause(
  words: readonly string[],
  reason: string,
  deps: OperatorDeps,
): Promise<SwitchSubject> {
  const { scope, name } = wanted('pause', words);
  const hint = (...meant: readonly string[]) => ['autopilot', 'pause', ...meant, '--reason', reason];
  const [schedule, config] = await Promise.all([
    scope === 'campaign' ? undefined : findSchedule(name, deps),
    scope === 'schedule' ? undefined : readStageConfig(deps),
  ]);
  const isCampaign = config !== undefined && campaignsOf(config).includes(name);
  if (schedule !== undefined && isCampaign) throw bothMeant(name, hint('KIND', name));
  if (isCampaign) return { scope: 'campaign', name };
  if (schedule === undefined)
    throw (await ofOtherScope({ scope, name }, hint, deps)) ?? (await unknown(name, config, { hint, deps }));
  refuseUseless(schedule);
  return { scope: 'schedule', name };
}

/**
 * What a person wants to resume: all that is paused under this name, also if the configuration no
 * longer knows it.
 */
export async function subjectToResume(words: readonly string[], ledger: Ledger, now: Date): Promise<SwitchRow> {
  const { scope, name } = wanted('resume', words);
  const meant = resumable.filter((one) => scope === undefined || scope === one);
  const rows = await Promise.all(meant.map(async (one) => readSwitch(ledger, { scope: one, name })));
  const known = rows.filter((row) => row !== undefined);
  const on = known.filter((row) => row.isOn);
  if (on.length > 1) throw bothMeant(name, ['autopilot', 'resume', 'KIND', name]);
  const [found] = [...on, ...known];
  if (found !== undefined) return found;
  const switches = (await listSwitches(ledger, now)).filter((row) => row.scope !== 'stage');
  const other = switches.find((row) => row.name === name);
  if (other !== undefined)
    throw new UsageError(`"${name}" is paused as a ${other.scope}`, {
      command: ['autopilot', 'resume', other.scope, name],
    });
  const paused = switches.map((row) => row.name);
  const there = paused.length === 0 ? 'nothing is paused' : `paused are ${paused.join(', ')}`;
  throw new UsageError(`"${name}" was never paused${didYouMean(name, paused, ':')} (${there})`);
}

interface Wanted {
  /** Absent if the person did not say which. */
  readonly scope?: Scope | undefined;
  readonly name: string;
}

function wanted(verb: Verb, words: readonly string[]): Wanted {
  const scope =
    words.length === 2 ? (verb === 'pause' ? scopes : resumable).find((known) => known === words[0]) : undefined;
  const name = words.at(-1) ?? '';
  if (words.length > (scope === undefined ? 1 : 2)) {
    throw new UsageError(`${verb} takes one name, or schedule or campaign and its name: "${words.join(' ')}" is more`);
  }
  return { name, scope };
}

type Verb = 'pause' | 'resume';

/** The command with all that it needs, to paste. */
type Hint = (...meant: readonly string[]) => readonly string[];

function bothMeant(name: string, command: readonly string[]): UsageError {
  return new UsageError(`there is a schedule and a campaign "${name}": put schedule or campaign in the place of KIND`, {
    command,
  });
}

/** The error for a name that the other kind has; undefined too if the worker that knows the campaigns does not answer. */
async function ofOtherScope({ scope, name }: Wanted, hint: Hint, deps: OperatorDeps): Promise<UsageError | undefined> {
  if (scope === undefined) return undefined;
  if (scope === 'campaign') {
    if ((await findSchedule(name, deps)) === undefined) return undefined;
    return new UsageError(`"${name}" is a schedule, not a campaign`, { command: hint('schedule', name) });
  }
  const config = await readStageConfig(deps).catch(() => undefined);
  if (config === undefined || !campaignsOf(config).includes(name)) return undefined;
  return new UsageError(`"${name}" is a campaign, not a schedule`, { command: hint('campaign', name) });
}

/** A deployed schedule; none has a name that Scheduler would refuse. */
export async function findSchedule(
  name: string,
  { stage }: Pick<OperatorDeps, 'stage'>,
): Promise<DeployedSchedule | undefined> {
  return namePattern.test(name) ? (await stage.schedules()).find(name) : undefined;
}

function campaignsOf({ runs }: StageConfig): readonly string[] {
  return [...new Set(Object.values(runs).map((run) => run.campaign))];
}

async function unknown(
  name: string,
  config: StageConfig | undefined,
  { hint, deps }: { readonly hint: Hint; readonly deps: OperatorDeps },
): Promise<UsageError> {
  const run = Object.values(config?.runs ?? {}).find((one) => one.name === name);
  if (run !== undefined) {
    return new UsageError(`"${name}" is a run of the campaign ${run.campaign}`, {
      command: hint(run.campaign),
    });
  }
  const [schedules, campaigns] = [await (await deps.stage.schedules()).names(), config && campaignsOf(config)];
  const there = [
    `schedules ${schedules.join(', ') || 'none'}`,
    ...(campaigns ? [`campaigns ${campaigns.join(', ')}`] : []),
  ];
  const near = didYouMean(name, [...schedules, ...(campaigns ?? [])], ':');
  return new UsageError(`there is no schedule or campaign "${name}"${near} (there are ${there.join('; ')})`);
}

/** Only starts are ever held back. */
function refuseUseless({ name, input, targetArn }: DeployedSchedule): void {
  if (targetArn.split(':')[2] === 'lambda') {
    throw new UsageError(`${name} only looks at the gateway: pause the campaign that it would start`);
  }
  if (!/"action":\s*"start"/.test(input)) {
    throw new UsageError(`${name} asks for stops, and a stop passes every guard: a pause would hold back nothing`);
  }
}
