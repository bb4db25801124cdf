import { parseArgs } from 'node:util';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { Refusal } from './deploy-deps.ts';

/** Which stage, and whose account it lies in. */
export interface StageOptions {
  readonly stage: string;
  /** Of the AWS configuration. @default as the environment says */
  readonly profile: string | undefined;
  /** @default as the environment or the profile says */
  readonly region: string | undefined;
  /** Whether a switch was given. */
  readonly has: (name: string) => boolean;
  /** What an option was given, each time. */
  readonly valuesOf: (name: string) => readonly string[];
}

const ofEveryCommand = {
  stage: { type: 'string' },
  profile: { type: 'string' },
  region: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads a command line strictly.
 * @param own - the switches that this command has beside `--yes` and `--help`, and the options that may be given several times
 * @throws Refusal for what it does not know, and where no stage is named
 */
export function readStageOptions(
  argv: readonly string[],
  own: { readonly switches: readonly string[]; readonly lists?: readonly string[] },
): StageOptions | 'help' {
  const options = {
    ...ofEveryCommand,
    ...Object.fromEntries(own.switches.map((name) => [name, { type: 'boolean' } as const])),
    ...Object.fromEntries((own.lists ?? []).map((name) => [name, { type: 'string', multiple: true } as const])),
  };
  const { tokens, positionals, values } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  if (values['help'] === true) return 'help';
  if (positionals.length > 0) throw new Refusal(`"${positionals.join(' ')}" is no option; the stage is --stage NAME`);
  const stage = text('stage');
  if (stage === undefined) throw new Refusal('which stage? --stage NAME');
  return {
    stage,
    profile: text('profile'),
    region: text('region'),
    has: (name) => values[name] === true,
    valuesOf: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
  };
}

/** @throws Refusal for an option that is not known, lacks its value or has one too many */
function checkOption(
  { name, rawName, value }: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
): void {
  const known = Object.entries(options).find(([option]) => option === name)?.[1];
  if (known === undefined) {
    const near = didYouMean(name, Object.keys(options)).replace('"', '"--');
    throw new Refusal(`there is no option ${rawName}${near}`);
  }
  if (known.type === 'string' && (value ?? '').trim() === '') throw new Refusal(`${rawName} needs a value`);
  if (known.type === 'boolean' && value !== undefined) throw new Refusal(`${rawName} takes no value`);
}
