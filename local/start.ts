/**
 * `npm start`: a stage of Gateway Autopilot on this machine. Bundles the functions, synthesizes the CDK app and runs the synthesized template
 * beside the embedded gateway; ends cleanly on Ctrl-C, with its state kept.
 */
import { openMovableClock } from './clock/movable-clock.ts';
import { applyClock } from './clock/moved-date.mjs';
import { join } from 'node:path';
import { announceRunning, isFolderKept, takeDataFolder, withdrawRunning } from './stage/data-folder.ts';
import { terminalLine } from './stage/function-lines.ts';
import { type GatewayAccess, freePort, openGateway } from './stage/gateway-access.ts';
import type { RunningStage, StageRun } from './stage/run-stage.ts';
import { readStartOptions, startHelp, type StartOptions } from './stage/start-options.ts';
import { asStartProblem } from './stage/start-problem.ts';
import { outputsOf, readyLine, summaryLines } from './stage/summary.ts';
import { synthesize } from './stage/synthesize.ts';
import { createTerminalWriter } from '#shared/text/terminal-writer.ts';

const { paint, writeLines } = createTerminalWriter(process.stdout);
const say = (line: string): void => writeLines([line]);

async function main(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2), process.cwd());
  if (options === 'help') return writeLines(startHelp.split('\n'));

  const folder = takeDataFolder(options.dataDir, options.isFresh);
  const port = await freePort(options.port, '--port');
  const clockFile = join(options.dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  applyClock(() => clock.offsetMs());
  const gateway = await openGateway(options, process.env);
  try {
    const running = await start(options, gateway, { port, clock, clockFile, key: folder.key });
    endOnSignal(async () => {
      await end(options, running, gateway);
      folder.release();
    });
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

async function start(
  options: StartOptions,
  gateway: GatewayAccess,
  place: Pick<StageRun, 'port' | 'clock' | 'clockFile' | 'key'>,
): Promise<RunningStage> {
  const { stage, dataDir, configPath } = options;
  // The app is a process of its own: meanwhile this one reads the emulators.
  const [assemblyDir, { runStage }] = await Promise.all([
    synthesize({ configPath, stage, gatewayBaseUrl: gateway.url, dataDir }),
    import('./stage/run-stage.ts'),
  ]);
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
  writeLines(summaryLines({ stage, running, gateway, outputs }, paint));
  if (gateway.says !== undefined) say(gateway.says);
  say(readyLine(running, gateway, outputs));
  return running;
}

async function end(options: StartOptions, running: RunningStage, gateway: GatewayAccess): Promise<void> {
  const { dataDir } = options;
  say(
    isFolderKept(dataDir)
      ? 'ending; the state is kept'
      : `ending; ${dataDir} is gone, and the state with it: bring the folder back, or the next npm start begins without any`,
  );
  await running.close();
  await gateway.close();
  withdrawRunning(dataDir);
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

try {
  await main();
} catch (caught) {
  const error = asStartProblem(caught);
  if (error === undefined) throw caught;
  createTerminalWriter(process.stderr).writeLines(error.message.split('\n'));
  process.exitCode = 1;
}
