/**
 * The token of a real gateway stayed in the environment: the CDK app inherited it, with the user's own configuration in it, and so did the bundler's
 * service, which lives as long as the stage.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningGateway, startGateway } from '#gateway/server.ts';
import { tokenVariable } from '#local/stage/start-options.ts';
import { packageFolder } from '#shared/places.ts';
import { processesFrom, type ShownProcess } from './harness/processes-below.ts';
import { type StageProcess, startStageProcess, temporaryFolder } from './harness/stage-process.ts';

const canary = 'canary-token-of-a-real-gateway';

/** The address of a module of the project, as a word of code. */
const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(packageFolder, file)).href);

/** The project's own configuration; at the end of the CDK app it writes down which processes there were. */
function writeConfig(folder: string, seen: string): string {
  const path = join(folder, 'automation.config.mjs');
  writeFileSync(
    path,
    `import { writeFileSync } from 'node:fs';
    import stages from ${urlOf('automation.config.ts')};
    import { processesFrom } from ${urlOf('test/integration/stage/harness/processes-below.ts')};
    process.on('exit', () => writeFileSync(${JSON.stringify(seen)}, JSON.stringify(processesFrom(process.pid))));
    export default stages;\n`,
  );
  return path;
}

function commandsOf(processes: readonly ShownProcess[]): string {
  return processes.map(({ command }) => command).join('\n');
}

/** The commands of those that were started with the token. */
function withToken(processes: readonly ShownProcess[]): readonly string[] {
  return processes.filter(({ environment }) => environment.includes(canary)).map(({ command }) => command);
}

const isLinux = process.platform === 'linux';
const note = isLinux ? '' : ' (skipped: only Linux shows the environment of a process)';

describe.skipIf(!isLinux)(`the token of a real gateway${note}`, () => {
  const folder = temporaryFolder();
  const seenByApp = join(folder.path, 'seen.json');
  let gateway: RunningGateway;
  let stage: StageProcess;

  beforeAll(async () => {
    gateway = await startGateway({ port: 0, database: ':memory:', tokens: [canary], now: () => new Date() });
    vi.stubEnv(tokenVariable, canary);
    const words = ['--gateway', gateway.url, '--config', writeConfig(folder.path, seenByApp)];
    stage = await startStageProcess(join(folder.path, 'state'), ...words).finally(() => vi.unstubAllEnvs());
  }, 300_000);
  afterAll(async () => {
    await stage.end('SIGINT');
    await gateway.close();
    folder.remove();
  });

  test('is in the environment of no process that builds the stage, the configuration included', () => {
    const processes = JSON.parse(readFileSync(seenByApp, 'utf8')) as ShownProcess[];

    expect(commandsOf(processes)).toContain('infra/app.ts');
    expect(commandsOf(processes)).toContain('esbuild');
    expect(withToken(processes)).toEqual([]);
  });

  test('is in the environment of no process that runs the stage, though its functions call with it', async () => {
    // The bundler makes the page when it is opened first, and stays.
    await (await fetch(stage.console ?? '')).text();
    const fired = await stage.autopilot('fire', 'scanner-packages.vendor');
    // The kernel shows what a process was started with for as long as it runs: the first one was started by a person.
    const started = processesFrom(stage.pid).filter(({ pid }) => pid !== stage.pid);

    expect(fired).toMatchObject({ code: 0, stdout: expect.stringContaining('scanner-packages.vendor: done') });
    expect(commandsOf(started)).toContain('esbuild');
    expect(commandsOf(started)).toContain('local/lambda/child.mjs');
    expect(withToken(started)).toEqual([]);
  });
});
