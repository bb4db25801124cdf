import { dirname, resolve } from 'node:path';
import { stateFolderName, usualPort } from '#shared/places.ts';
import { startWords } from '#shared/state-folder/kept-start.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import type { CommandArguments } from './arguments.ts';
import { UnreachableError, UsageError } from '#operator/errors.ts';
import type { ProxyVariables, Target } from '#operator/target.ts';

/** What choosing looks at. */
export interface TargetSources {
  readonly args: Pick<CommandArguments, 'text' | 'flag'>;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd: string;
  /** The text of a file; undefined if there is none. Throws as the file system does. */
  readonly readText: (path: string) => string | undefined;
}

const defaultEndpoint = `http://127.0.0.1:${usualPort}`;
const defaultRegion = 'eu-west-1';

/** Chooses: `--local` or `--aws`, else AUTOPILOT_TARGET, else the run on this machine. */
export function chooseTarget(sources: TargetSources): Target {
  const { args } = sources;
  if (args.flag('local') && args.flag('aws')) throw new UsageError('--local and --aws exclude each other: give one');
  const kind = args.flag('aws') ? 'aws' : args.flag('local') ? 'local' : kindOf(sources.env['AUTOPILOT_TARGET']);
  return kind === 'aws' ? awsTarget(sources) : localTarget(sources);
}

function kindOf(text: string | undefined): Target['kind'] {
  if (text === undefined || text === '' || text === 'local') return 'local';
  if (text === 'aws') return 'aws';
  throw new UsageError(`AUTOPILOT_TARGET is "${text}": it can be local or aws`);
}

function awsTarget({ args, env }: TargetSources): Target {
  const stage = args.text('stage');
  if (stage === undefined) throw new UsageError('against AWS the stage must be named: --aws --stage prod');
  const endpoint = env['AWS_ENDPOINT_URL'];
  if (endpoint !== undefined && isLoopbackUrl(endpoint)) {
    throw new UsageError(`AWS_ENDPOINT_URL is ${endpoint}, which is this machine: unset it, or leave out --aws`);
  }
  if (args.text('as') !== undefined) {
    throw new UsageError('--as is for the local run: against AWS your own credentials say what you may do');
  }
  // As the SDK takes them; so a line that is pasted into another shell leads to the same account.
  const profile = args.text('profile') ?? (env['AWS_PROFILE'] || undefined);
  const region = args.text('region') ?? (env['AWS_REGION'] || undefined);
  return {
    kind: 'aws',
    stage: checkedStage(stage),
    profile,
    region,
    proxy: proxyIn(env),
  };
}

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'] as const;

function proxyIn(env: TargetSources['env']): ProxyVariables | undefined {
  const proxy = Object.fromEntries(proxyNames.map((name) => [name, env[name]]));
  return proxy['HTTPS_PROXY'] || proxy['https_proxy'] ? proxy : undefined;
}

function localTarget(sources: TargetSources): Target {
  const { args, env } = sources;
  if (args.text('profile') !== undefined || args.text('region') !== undefined) {
    throw new UsageError('--profile and --region are for AWS: add --aws --stage NAME, or leave them out');
  }
  const running = readRunFile(sources);
  const endpoint = onThisMachine(withoutSlash(env['AWS_ENDPOINT_URL'] || running?.endpoint || defaultEndpoint));
  const isSameRun = running !== undefined && withoutSlash(running.endpoint) === endpoint;
  const { stage, region } = isSameRun ? running : { stage: 'local', region: defaultRegion };
  return {
    kind: 'local',
    stage: checkedStage(args.text('stage') ?? stage),
    endpoint,
    region,
    folder: stageFolder(sources),
    policy: checkedPolicy(args.text('as')),
  };
}

/** A part of an access key, which has no space and no comma. */
function checkedPolicy(policy: string | undefined): string | undefined {
  if (policy === undefined || /^[A-Za-z0-9]{1,64}$/.test(policy)) return policy;
  throw new UsageError('--as takes the name of a policy, such as Reader: letters and digits');
}

/** A stage listens at 127.0.0.1 and proves that address; the name could lead to ::1, where another user may listen. */
function onThisMachine(endpoint: string): string {
  if (isLoopbackUrl(endpoint)) return endpoint.replace('//localhost', '//127.0.0.1');
  throw new UsageError(
    `${endpoint} is not on this machine. A local run is reached by its loopback address (127.0.0.1) only`,
  );
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

/** What `npm start` writes about itself. */
interface RunFile {
  readonly endpoint: string;
  readonly stage: string;
  readonly region: string;
}

function givenFolder({ args, env }: TargetSources): string | undefined {
  return args.text('data') ?? (env['AUTOPILOT_DATA'] || undefined);
}

/** The folder of the state: it shows whose stage is meant, with any program at the endpoint. */
function stageFolder(sources: TargetSources): string {
  return resolve(sources.cwd, givenFolder(sources) ?? stateFolderName);
}

function readRunFile(sources: TargetSources): RunFile | undefined {
  const { env } = sources;
  const folder = stageFolder(sources);
  const path = resolve(folder, 'local.json');
  const text = textOf(path, sources);
  const given = givenFolder(sources);
  if (text === undefined && given !== undefined && !env['AWS_ENDPOINT_URL']) {
    // A person who names a folder means that run and no other.
    throw new UnreachableError(`no local run has its state in ${folder}: start it`, {
      command: ['autopilot', ...startWords(folder, sources.cwd)],
    });
  }
  if (text === undefined) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return {
      endpoint: field(document, 'endpoint'),
      stage: field(document, 'stage'),
      region: field(document, 'region'),
    };
  } catch (error) {
    throw new UsageError(`${path} is not what a local run writes: delete it and start again`, { cause: error });
  }
}

function textOf(path: string, { readText }: TargetSources): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOTDIR')
      throw new UsageError(`${dirname(path)} is no folder: name the folder of a stage with --data`, { cause: error });
    throw new UnreachableError(
      `${path} cannot be read (${code}). Run this as the user who started that stage, or name another folder with --data`,
      { cause: error },
    );
  }
}

/** By hand: a schema library would cost every command a third of its start. */
function field(document: unknown, name: keyof RunFile): string {
  const value: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`no text field "${name}"`);
}

function checkedStage(stage: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(stage)) return stage;
  throw new UsageError(`"${stage}" cannot be the name of a stage: letters, digits and hyphens`);
}
