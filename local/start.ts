import { openMovableClock } from './clock/movable-clock.ts';
import { applyClock } from './clock/moved-date.mjs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  announceRunning,
  isFolderKept,
  type TakenFolder,
  takeDataFolder,
  withdrawRunning,
} from './stage/data-folder.ts';
import { outputsOf, readyFacts, readyLine, summaryLines } from './stage/summary.ts';
import { terminalLine } from './stage/terminal-lines.ts';
import { freePort, type LocalGatewayAccess, openGateway } from './stage/local-gateway.ts';
import type { RunningStage, StageRun } from './stage/run-stage.ts';
import { readStartOptions, type StartOptions, takeToken } from './stage/start-options.ts';
import { keepStart, keptStartOf, refuseNoConfiguration, refuseOtherStart } from './stage/start-checks.ts';
import { asStartProblem } from './state/start-problem.ts';
import { synthesize } from './stage/synthesize.ts';
import type { RunningConsole } from '#console/program/start-console.ts';
import { startWords } from '#shared/state-folder/kept-start.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { stateFolderName } from '#shared/places.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';

const { paint, writeLines } = createTerminalWriter(process.stdout);
const say = (line: string): void => writeLines([line]);

async function start(options: StartOptions, token: string | undefined): Promise<void> {
  const folder = takeDataFolder(options.dataDir, options.isFresh);
  try {
    await startIn(folder, options, token);
  } catch (error) {
    folder.withdraw();
    throw error;
  }
}

async function startIn(folder: TakenFolder, options: StartOptions, token: string | undefined): Promise<void> {
  refuseOtherStart(options, process.cwd());
  refuseNoConfiguration(options, process.cwd());
  const port = await freePort(options.port, '--port');
  const clockFile = join(options.dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  applyClock(() => clock.offsetMs());
  const gateway = await openGateway(options, token);
  try {
    const started = await open(options, gateway, { port, clock, clockFile, key: folder.key });
    endOnSignal(async () => {
      await end(options, started, gateway);
      folder.release();
    });
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** Runs a stage until a signal ends the process; a problem of the start is printed and sets the exit code. */
export async function run(argv: readonly string[]): Promise<void> {
  // Before anything is started.
  const token = takeToken(process.env);
  // A file that takes this output may be on a full disk: a line that is lost ends no stage.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let dataDir: string | undefined;
  try {
    const options = readStartOptions(argv, process.cwd());
    if (typeof options === 'string') return writeLines(options.split('\n'));
    ({ dataDir } = options);
    await start(options, token);
  } catch (caught) {
    const error = asStartProblem(caught, dataDir);
    if (error === undefined) throw caught;
    createTerminalWriter(process.stderr).writeLines(error.message.split('\n'));
    process.exitCode = error.exitCode;
  }
}

/** A stage that is up, and its console. */
interface Started {
  readonly running: RunningStage;
  readonly page: RunningConsole;
}

async function open(
  options: StartOptions,
  gateway: LocalGatewayAccess,
  place: Pick<StageRun, 'port' | 'clock' | 'clockFile' | 'key'>,
): Promise<Started> {
  const { stage, dataDir, configPath } = options;
  // The app is a process of its own: meanwhile this one reads the emulators.
  const [assemblyDir, { runStage }, { startLocalConsole }] = await Promise.all([
    synthesize({ configPath, stage, gatewayBaseUrl: gateway.url, isGatewayNamed: !gateway.isEmbedded, dataDir }),
    import('./stage/run-stage.ts'),
    import('#console/program/local-console.ts'),
  ]);
  keepStart(options);
  const running = await runStage({
    ...place,
    assemblyDir,
    dataDir,
    token: gateway.token,
    webhooksUrl: options.webhooksUrl,
    onFunctionLog: (line) => {
      const text = terminalLine(line);
      if (text !== undefined) say(text);
    },
    log: say,
  });
  const { assembly, frontDoor } = running;
  announceRunning(dataDir, { pid: process.pid, endpoint: frontDoor.url, stage, region: assembly.region });
  const outputs = outputsOf(running, stage);
  const own = { stage, folder: dataDir, endpoint: frontDoor.url, region: assembly.region };
  const page = await startLocalConsole(own, say);
  onEnter(() => say(`console: ${page.newLink()}`));
  const folder = dataDir === resolve(stateFolderName) ? undefined : dataDir;
  const summary = { stage, running, gateway, outputs, console: page.newLink(), folder };
  writeLines(summaryLines(summary, paint));
  if (gateway.says !== undefined) say(gateway.says);
  say(readyLine(readyFacts(summary), process.stdout.isTTY));
  return { running, page };
}

async function end(options: StartOptions, { running, page }: Started, gateway: LocalGatewayAccess): Promise<void> {
  const { dataDir } = options;
  say(
    isFolderKept(dataDir)
      ? `ending; the state is kept, and this goes on with it: ${printedLine(startWords(dataDir, process.cwd(), keptStartOf(options)))}`
      : `ending; ${dataDir} is gone, and the state with it: bring the folder back, or the next start begins without any`,
  );
  await page.close();
  await running.close();
  await gateway.close();
  withdrawRunning(dataDir);
}

/** Enter at the terminal; a run without one reads nothing. */
function onEnter(listener: () => void): void {
  if (process.stdin.isTTY) createInterface({ input: process.stdin }).on('line', listener);
}

/** The first signal ends the run in order; a second one ends it at once. */
function endOnSignal(close: () => Promise<void>): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(130);
      isEnding = true;
      close().then(
        () => process.exit(0),
        (error: unknown) => {
          say(String(error));
          process.exit(1);
        },
      );
    });
  }
}

if (import.meta.main) await run(process.argv.slice(2));
