import { UsageError } from '#operator/errors.ts';
import type { Failure } from '#operator/failures.ts';
import { pastedLine, type Way } from '#operator/pasted.ts';
import type { SeveralStage } from './command.ts';
import { repeated } from '#shared/text/program-arguments.ts';
import type { CommandArguments } from './arguments.ts';
import { basename, dirname, resolve } from 'node:path';
import { stateFolderName } from '#shared/places.ts';

/** A stage as a command line names it. */
export interface AskedStage extends Pick<SeveralStage, 'label' | 'words'> {
  /** What the line says about this stage alone. */
  readonly args: Pick<CommandArguments, 'text' | 'flag'>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `prod`, `prod@eu-west-1`, `prod@eu-west-1:ops`. */
const reference = /^(?<stage>[^@]+)(?:@(?<region>[a-z0-9-]+)(?::(?<profile>.+))?)?$/;

/**
 * Reads which stages a command line means: one, unless `--stage` or `--data` is there several
 * times.
 */
export function askedStages(args: CommandArguments, env: Environment): readonly [AskedStage, ...AskedStage[]] {
  // The same one twice is one.
  const [[stage, ...stages], [folder, ...folders]] = [
    [...new Set(args.texts('stage'))],
    [...new Set(args.texts('data'))],
  ];
  if (stage === undefined || stages.length === 0) {
    const of = (data: string | undefined) => askedStage({ stage, data }, args, env);
    return distinct([of(folder), ...folders.map(of)]);
  }
  if (folder !== undefined) throw new UsageError('several stages are named by --stage or by --data: give one of them');
  const isAws = isInAws({ stage: undefined }, args, env);
  const local = [stage, ...stages].find((text) => !isAws && !text.includes('@'));
  if (local !== undefined) {
    throw new UsageError(
      `${repeated('stage', [stage, ...stages])}: name stages in AWS by their region (--stage ${local}@eu-west-1) or with --aws, and local runs by --data`,
    );
  }
  const of = (text: string) => askedStage({ stage: text, data: undefined }, args, env);
  return [of(stage), ...stages.map(of)];
}

/** The beginning of a sentence about a command line that names several. */
export function severalWords(args: Pick<CommandArguments, 'texts'>): string {
  const option = args.texts('stage').length > 1 ? 'stage' : 'data';
  return repeated(option, args.texts(option));
}

/** A stage or a folder of a command line; both only if each is there once. */
interface Named {
  readonly stage: string | undefined;
  readonly data: string | undefined;
}

function isInAws({ stage }: Pick<Named, 'stage'>, args: Pick<CommandArguments, 'flag'>, env: Environment): boolean {
  if (stage?.includes('@') === true) return true;
  return args.flag('aws') || (!args.flag('local') && env['AUTOPILOT_TARGET'] === 'aws');
}

/** What the environment names is among them, and each folder is absolute: a line is pasted into another shell too. */
function wordsOf(named: Named, args: Pick<CommandArguments, 'text' | 'flag'>, env: Environment): readonly string[] {
  const { stage } = named;
  const isReference = stage?.includes('@') === true;
  const isAws = isInAws(named, args, env);
  // A reference says all in one word.
  const given = (name: string, isTaken: boolean) => (isTaken ? env[name] || undefined : undefined);
  const data = named.data ?? given('AUTOPILOT_DATA', !isAws);
  const texts = {
    stage,
    data: data === undefined ? undefined : resolve(data),
    as: args.text('as'),
    profile: args.text('profile') ?? given('AWS_PROFILE', isAws && !isReference),
    region: args.text('region') ?? given('AWS_REGION', isAws && !isReference),
  };
  return [
    ...(isAws && !isReference ? ['--aws'] : []),
    ...(args.flag('local') ? ['--local'] : []),
    ...Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, text])),
  ];
}

/** Folders of one name go by their paths. */
function distinct([first, ...others]: readonly [AskedStage, ...AskedStage[]]): readonly [AskedStage, ...AskedStage[]] {
  const all = [first, ...others];
  const described = (asked: AskedStage) => {
    const isAlone = all.filter(({ label }) => label === asked.label).length === 1;
    return isAlone ? asked : { ...asked, label: resolve(asked.args.text('data') ?? '') };
  };
  return [described(first), ...others.map(described)];
}

/** A state folder goes by the folder that it lies in. */
function nameOfFolder(data: string): string {
  const folder = resolve(data);
  return basename(basename(folder) === stateFolderName ? dirname(folder) : folder);
}

function askedStage(named: Named, args: CommandArguments, env: Environment): AskedStage {
  const { stage, region = args.text('region'), profile = args.text('profile') } = referenceIn(named.stage);
  const isAws = named.stage?.includes('@') === true;
  if (isAws && args.flag('local')) {
    throw new UsageError(`${named.stage} is in AWS, and --local is this machine: give one of them`);
  }
  const own: Readonly<Record<string, string | undefined>> = { stage, region, profile, data: named.data };
  return {
    label: named.stage ?? (named.data === undefined ? '' : nameOfFolder(named.data)),
    words: wordsOf(named, args, env),
    args: {
      text: (name) => (Object.hasOwn(own, name) ? own[name] : args.text(name)),
      flag: (name) => (name === 'aws' && isAws) || args.flag(name),
    },
  };
}

interface Reference {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

function referenceIn(text: string | undefined): Reference {
  if (text === undefined) return {};
  const { stage, region, profile } = reference.exec(text)?.groups ?? {};
  if (stage !== undefined) return { stage, region, profile };
  throw new UsageError(`--stage ${text} is none of NAME, NAME@REGION and NAME@REGION:PROFILE`);
}

/** Why a stage could not be looked at, with a command that leads to it. */
export function failureLines({ message, step }: Failure, way: Way): readonly string[] {
  const lines = step?.command === undefined ? [message] : [step.says, `  ${pastedLine(step.command, way)}`];
  return lines.map((text) => `  ${text}`);
}
