import { UsageError } from '#operator/errors.ts';
import type { Failure } from '#operator/failures.ts';
import { pastedLine } from '#operator/pasted.ts';
import type { SeveralStage } from './command.ts';
import { repeated } from '#shared/read-line.ts';
import type { CommandArguments } from './arguments.ts';

/** A stage as a command line names it. */
export interface AskedStage extends Pick<SeveralStage, 'label' | 'words'> {
  /** What the line says about this stage alone. */
  readonly args: Pick<CommandArguments, 'text' | 'flag'>;
}

/** `prod`, `prod@eu-west-1`, `prod@eu-west-1:ops`. */
const reference = /^(?<stage>[^@]+)(?:@(?<region>[a-z0-9-]+)(?::(?<profile>.+))?)?$/;

/**
 * Reads which stages a command line means: one, unless `--stage` or `--data` is there several
 * times.
 */
export function askedStages(
  args: CommandArguments,
  env: Readonly<Record<string, string | undefined>>,
): readonly [AskedStage, ...AskedStage[]] {
  // The same one twice is one.
  const [[stage, ...stages], [folder, ...folders]] = [
    [...new Set(args.texts('stage'))],
    [...new Set(args.texts('data'))],
  ];
  if (stage === undefined || stages.length === 0) {
    const of = (data: string | undefined) => askedStage({ stage, data }, args);
    return [of(folder), ...folders.map(of)];
  }
  if (folder !== undefined) throw new UsageError('several stages are named by --stage or by --data: give one of them');
  const isAws = args.flag('aws') || (!args.flag('local') && env['AUTOPILOT_TARGET'] === 'aws');
  const local = [stage, ...stages].find((text) => !isAws && !text.includes('@'));
  if (local !== undefined) {
    throw new UsageError(
      `${repeated('stage', [stage, ...stages])}: name stages in AWS by their region (--stage ${local}@eu-west-1) or with --aws, and local runs by --data`,
    );
  }
  const of = (text: string) => askedStage({ stage: text, data: undefined }, args);
  return [of(stage), ...stages.map(of)];
}

/** The beginning of a sentence about a command line that names several. */
export function severalWords(args: Pick<CommandArguments, 'texts'>): string {
  const option = args.texts('stage').length > 1 ? 'stage' : 'data';
  return repeated(option, args.texts(option));
}

/** The words that lead another command to the one stage of a command line. */
export function stageWords(args: Pick<CommandArguments, 'text' | 'flag'>): readonly string[] {
  return wordsOf({ stage: args.text('stage'), data: args.text('data') }, args);
}

/** A stage or a folder of a command line; both only if each is there once. */
interface Named {
  readonly stage: string | undefined;
  readonly data: string | undefined;
}

function wordsOf(named: Named, args: Pick<CommandArguments, 'text' | 'flag'>): readonly string[] {
  const flags = (['local', 'aws'] as const).filter((name) => args.flag(name)).map((name) => `--${name}`);
  const others = (['as', 'profile', 'region'] as const).map((name) => [name, args.text(name)] as const);
  const texts = [...Object.entries(named), ...others];
  return [...flags, ...texts.flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, text]))];
}

function askedStage(named: Named, args: CommandArguments): AskedStage {
  const { stage, region = args.text('region'), profile = args.text('profile') } = referenceIn(named.stage);
  const isInAws = named.stage?.includes('@') === true;
  if (isInAws && args.flag('local')) {
    throw new UsageError(`${named.stage} is in AWS, and --local is this machine: give one of them`);
  }
  const own: Readonly<Record<string, string | undefined>> = { stage, region, profile, data: named.data };
  return {
    label: named.stage ?? named.data ?? '',
    words: wordsOf(named, args),
    args: {
      text: (name) => (Object.hasOwn(own, name) ? own[name] : args.text(name)),
      flag: (name) => (name === 'aws' && isInAws) || args.flag(name),
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
export function failureLines({ message, step }: Failure, words: readonly string[]): readonly string[] {
  const lines =
    step?.command === undefined ? [message] : [step.says, `  ${pastedLine(step.command, { stageWords: words })}`];
  return lines.map((text) => `  ${text}`);
}
