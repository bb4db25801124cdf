import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  embeddedGateway,
  type KeptStart,
  keptStartFile,
  readKeptStart,
  shortPath,
  stageAbove,
  startWords,
  textOfKeptStart,
} from '#shared/state-folder/kept-start.ts';
import { stateFolderName } from '#shared/places.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { commandLine, npxWords } from '#shared/text/command-line.ts';
import { fromState, StartProblem } from '../state/start-problem.ts';
import type { StartOptions } from './start-options.ts';

/** What a folder keeps of a start. */
export function keptStartOf({ stage, configPath, gatewayUrl }: StartOptions): KeptStart {
  return { stage, configPath, gateway: gatewayUrl ?? embeddedGateway };
}

/** Keeps how the stage was started, before anything of it is written. */
export function keepStart(options: StartOptions): void {
  const path = join(options.dataDir, keptStartFile);
  writeFileSync(`${path}.new`, textOfKeptStart(options.dataDir, keptStartOf(options)));
  renameSync(`${path}.new`, path);
}

/**
 * Refuses another gateway, configuration or stage than the folder has, unless the command line names it. The state holds what was begun at that
 * gateway.
 */
export function refuseOtherStart(options: StartOptions, cwd: string): void {
  const path = join(options.dataDir, keptStartFile);
  if (!existsSync(path)) return;
  const kept = fromState(path, () => readKeptStart(options.dataDir));
  const other = differences(kept, keptStartOf(options), cwd).find(({ option }) => !options.named.has(option));
  if (other === undefined) return;
  throw new StartProblem(
    `the state in ${options.dataDir} has ${other.kept}, and this start would use ${other.asked}: \`${printedLine(startWords(options.dataDir, cwd, kept))}\` goes on with it, and --${other.option} ${other.value} changes it`,
    { exitCode: 2 },
  );
}

/** Refuses a start without its configuration file. Below a stage it names that: a person has entered a subfolder. */
export function refuseNoConfiguration({ configPath, named }: StartOptions, cwd: string): void {
  if (existsSync(configPath)) return;
  const above = named.has('config') ? undefined : stageAbove(cwd);
  const rest =
    above === undefined
      ? `: enter the folder of a stage, or make one in the folder DIR: ${printedLine(['init', 'DIR'])}`
      : `, and the stage of ${above} lies above: \`${commandLine(['cd', above])} && ${commandLine(npxWords(startWords(join(above, stateFolderName), above)))}\``;
  throw new StartProblem(`there is no file ${configPath}${rest}`, { exitCode: 2 });
}

interface Difference {
  readonly option: 'stage' | 'config' | 'gateway';
  readonly kept: string;
  readonly asked: string;
  /** Behind the option, to have it so. */
  readonly value: string;
}

function differences(kept: KeptStart, asked: KeptStart, cwd: string): readonly Difference[] {
  const found: Difference[] = [];
  if (kept.stage !== asked.stage)
    found.push({ option: 'stage', kept: `the stage ${kept.stage}`, asked: asked.stage, value: asked.stage });
  if (kept.configPath !== asked.configPath) {
    const path = shortPath(asked.configPath, cwd);
    found.push({
      option: 'config',
      kept: `the configuration ${shortPath(kept.configPath, cwd)}`,
      asked: path,
      value: path,
    });
  }
  if (kept.gateway !== asked.gateway) {
    const [was, is] = [kept, asked].map(({ gateway }) => (gateway === embeddedGateway ? undefined : gateway));
    found.push({
      option: 'gateway',
      kept: was === undefined ? 'the embedded gateway' : `its gateway at ${was}`,
      asked: is ?? 'the embedded one',
      value: asked.gateway,
    });
  }
  return found;
}
