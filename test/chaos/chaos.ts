/**
 * `npm run chaos`: kills and faults while events come in, and a verdict from outside. `-- --help`
 * says the rest.
 */
import { randomBytes } from 'node:crypto';
import { StartProblem } from '#local/state/start-problem.ts';
import { ChaosUsageError, chaosHelp, readChaosOptions } from './chaos-options.ts';
import { runChaos } from './chaos-run.ts';
import { judgeRun } from './judge/judge-run.ts';
import { brokenText, tableText } from './judge/report.ts';
const exitCodes = { kept: 0, broken: 1, notBegun: 2, interrupted: 130 } as const;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readChaosOptions(process.argv.slice(2), () => randomBytes(4).toString('hex'));
  if (options === 'help') {
    say(chaosHelp);
    return exitCodes.kept;
  }
  const interrupted = interruption();
  try {
    say(`seed ${options.seed}`);
    const evidence = await runChaos(options, { log: say, interrupted });
    const verdict = judgeRun(evidence);
    say(tableText(options, evidence, verdict));
    if (verdict.broken.length === 0) return exitCodes.kept;
    say(brokenText(verdict));
    return exitCodes.broken;
  } catch (error) {
    if (!interrupted.aborted) throw error;
    say('interrupted: every process is ended and nothing is left behind');
    return exitCodes.interrupted;
  }
}

/** The first signal ends the run in order; a second one ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted);
      say('ending');
      controller.abort(new Error('interrupted'));
    });
  }
  return controller.signal;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof ChaosUsageError || error instanceof StartProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = exitCodes.notBegun;
}
