import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { createFunctionHost } from '#local/lambda/function-host.ts';
import type { FunctionHost, FunctionHostOptions } from '#local/lambda/function-host.ts';
import type { FunctionLogLine, LocalFunction } from '#local/lambda/local-function.ts';
import { isLinux } from '../../../faults/bench/is-linux.ts';
import { isAlive, localFunction } from './local-functions.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

let folder = '';
let hosts: FunctionHost[] = [];
let lines: FunctionLogLine[] = [];

beforeEach(() => {
  folder = folderOfTest();
  [hosts, lines] = [[], []];
});
afterEach(async () => Promise.all(hosts.map((host) => host.close(0))));

function hostOf(functions: LocalFunction[], more: Partial<FunctionHostOptions> = {}): FunctionHost {
  const host = createFunctionHost({
    functions,
    logDirectory: join(folder, 'logs'),
    onLog: (line) => lines.push(line),
    ...more,
  });
  hosts.push(host);
  return host;
}

async function run(fn: LocalFunction, event: unknown = {}): Promise<{ error: string | undefined; answer: unknown }> {
  const { payload, functionError } = await hostOf([fn]).invoke(fn.name, JSON.stringify(event));
  return { error: functionError, answer: JSON.parse(payload) };
}

function failed(errorType: string, message: string) {
  return { errorType, errorMessage: expect.stringContaining(message) };
}

const exited = (message: string) => failed('Runtime.ExitError', message);

function text(stream: FunctionLogLine['stream']): string[] {
  return lines.filter((line) => line.stream === stream).map((line) => line.text);
}

function pidsOf(host: FunctionHost): number[] {
  return host.processes().flatMap(({ pid }) => pid ?? []);
}

describe('an invocation', () => {
  test('hands the event over and the answer back', async () => {
    const event = { text: 'grün\u2028"\\', list: [1, null, true] };

    expect(await run(localFunction('handler.echo'), event)).toEqual({ error: undefined, answer: event });
  });

  // "/tmp" is the one folder that a function may write: docs.aws.amazon.com/lambda/latest/dg/configuration-ephemeral-storage.html
  test('writes below its temporary folder, which ends with its process, and nowhere else', async () => {
    const outside = join(folder, 'outside');

    const { answer } = await run(localFunction('handler.write'));
    const refused = await run(localFunction('handler.write'), { path: outside });

    const { path } = answer as { path: string };
    expect(readFileSync(path, 'utf8')).toBe('x');
    expect(refused.error).toBe('Unhandled');
    expect(existsSync(outside)).toBe(false);
    await Promise.all(hosts.map((host) => host.close(0)));
    expect(existsSync(path)).toBe(false);
  });

  // Ctrl-C soon after a start printed "ERROR … signal: killed" for each function that had just begun.
  test('that ends with the run is interrupted, and no failure', async () => {
    const host = hostOf([localFunction('handler.sleep')]);
    const invoked = host.invoke('handler-sleep', '{"ms":60000}');
    await vi.waitFor(() => expect(host.busyCount()).toBe(1));

    await host.close(0);
    await invoked;

    expect(text('platform').join()).toContain('INTERRUPTED');
    expect(text('platform').join()).not.toContain('ERROR');
  });

  test('is told in the log where AWS would keep nothing of it, and is kept here', async () => {
    const refusal =
      'User: arn:aws:sts::000000000000:assumed-role/App-Worker/w is not authorized to perform: logs:PutLogEvents';
    await run(localFunction('handler.echo', { logRefusal: () => refusal }));

    expect(text('platform')[0]).toBe(`AWS would keep nothing of this log: ${refusal}`);
    expect(text('platform')[1]).toMatch(/^START /);
  });

  test('answers null if the handler returns nothing', async () => {
    expect(await run(localFunction('handler.nothing'))).toEqual({ error: undefined, answer: null });
  });

  test('gives Lambda’s context', async () => {
    const { answer } = await run(localFunction('handler.context', { timeoutMs: 7000, memoryMb: 256 }));

    expect(answer).toMatchObject({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      functionName: 'handler-context',
      arn: 'arn:aws:lambda:eu-west-1:000000000000:function:handler-context',
      memory: '256',
      logGroup: '/aws/lambda/handler-context',
    });
    const { remaining } = answer as { remaining: number };
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(7000);
  });

  test('runs with its declared variables and Lambda’s own, and none of the developer’s', async () => {
    vi.stubEnv('AWS_PROFILE', 'production');
    vi.stubEnv('GATEWAY_SECRET', 'mine');

    const { answer } = await run(
      localFunction('handler.environment', { environment: { TABLE: 'ledger', AWS_REGION: 'no' } }),
    );

    vi.unstubAllEnvs();
    expect(answer).toMatchObject({
      TABLE: 'ledger',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDLOCAL',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_LAMBDA_FUNCTION_NAME: 'handler-environment',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      _HANDLER: 'handler.environment',
      zone: 0,
      folder: expect.stringMatching(/fixture$/),
    });
    expect(Object.keys(answer as object)).not.toEqual(expect.arrayContaining(['AWS_PROFILE']));
    expect(Object.keys(answer as object).filter((key) => /GATEWAY_SECRET|HOME|AWS_PROFILE|VITEST/.test(key))).toEqual(
      [],
    );
  });

  test('takes an idle process again, and a second one only beside a busy one', async () => {
    const host = hostOf([localFunction('handler.count'), localFunction('handler.wait')]);

    const first = await host.invoke('handler-count', '{}');
    const second = await host.invoke('handler-count', '{}');
    const both = await Promise.all([1, 2].map(async () => host.invoke('handler-wait', '{"ms":100}')));

    const { pid } = JSON.parse(first.payload) as { pid: number };
    expect(JSON.parse(second.payload)).toEqual({ invocations: 2, pid });
    expect(new Set(both.map(({ payload }) => payload)).size).toBe(2);
    expect(host.processes()).toContainEqual(expect.objectContaining({ functionName: 'handler-count', pid }));
    expect(pidsOf(host)).toHaveLength(3);
  });

  test('of an unknown function rejects with Lambda’s name for it', async () => {
    await expect(hostOf([]).invoke('unknown', '{}')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('a failure is an answer', () => {
  test.each<[what: string, handler: string, more: Partial<LocalFunction>, event: object, answer: object]>([
    ['what the handler throws', 'handler.fail', {}, {}, { errorType: 'TooBad', errorMessage: 'it went wrong' }],
    ['process.exit(0)', 'handler.exit', {}, { code: 0 }, exited('Runtime exited without providing a reason')],
    ['process.exit(3)', 'handler.exit', {}, { code: 3 }, exited('Runtime exited with error: exit status 3')],
    ['a filled memory', 'handler.fillMemory', { memoryMb: 32, timeoutMs: 20_000 }, {}, exited('signal: killed')],
    ['code that throws', 'throws.handler', {}, {}, failed('RangeError', 'no configuration')],
    [
      'an import that is missing',
      'missing-import.handler',
      {},
      {},
      failed('Runtime.ImportModuleError', 'not-there.mjs'),
    ],
    ['no file', 'absent.handler', {}, {}, failed('Runtime.ImportModuleError', "Cannot find module 'absent'")],
    [
      'no handler',
      'handler.absent',
      {},
      {},
      failed('Runtime.HandlerNotFound', 'handler.absent is undefined or not exported'),
    ],
    ['a value', 'handler.notAFunction', {}, {}, failed('Runtime.HandlerNotFound', 'is not a function')],
  ])('%s', async (...[, handler, more, event, expected]) => {
    const { error, answer } = await run(localFunction(handler, more), event);

    expect(error).toBe('Unhandled');
    expect(answer).toMatchObject(expected);
  });

  test('an unhandled rejection ends the process', async () => {
    const host = hostOf([localFunction('handler.rejectBeside')]);

    const { payload } = await host.invoke('handler-rejectBeside', '{}');

    expect(JSON.parse(payload)).toMatchObject({
      errorType: 'Runtime.UnhandledPromiseRejection',
      errorMessage: 'Error: it is not listened to',
    });
    await vi.waitFor(() => expect(pidsOf(host)).toEqual([]), { timeout: 120_000 });
  });

  test.each([false, true])('a handler that never answers is killed at its timeout (busy: %s)', async (busy) => {
    const host = hostOf([localFunction('handler.hang', { timeoutMs: 400 })]);
    const running = host.invoke('handler-hang', JSON.stringify({ busy }));
    const [pid = 0] = pidsOf(host);

    const { payload, requestId } = await running;

    expect(JSON.parse(payload)).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: `RequestId: ${requestId} Error: Task timed out after 0.40 seconds`,
    });
    expect(isAlive(pid)).toBe(false);
  });

  // The limit used to be one of the heap, which holds no buffers.
  test.runIf(isLinux)('a handler whose buffers are larger than its memory is killed, as Lambda does it', async () => {
    const fn = localFunction('handler.fillBuffers', { memoryMb: 128 });

    const { answer } = await run(fn, { mb: 200 });

    expect(answer).toMatchObject(exited('signal: killed'));
    expect(text('platform').at(-1)).toMatch(/Memory Size: 128 MB Max Memory Used: 128 MB$/);
  });

  test.runIf(isLinux)('a handler within its memory answers, and its report says what it used', async () => {
    const fn = localFunction('handler.fillBuffers', { memoryMb: 512 });

    const { answer } = await run(fn, { mb: 100 });

    expect(answer).toBe(100 * 1_048_576);
    const used = Number(/Memory Size: 512 MB Max Memory Used: (\d+) MB$/.exec(text('platform').at(-1) ?? '')?.[1]);
    expect(used).toBeGreaterThan(100);
    expect(used).toBeLessThan(512);
  });

  test('a process that is killed from outside', async () => {
    const host = hostOf([localFunction('handler.hang')]);
    const running = host.invoke('handler-hang', '{}');
    for (const process of host.processes()) process.kill('SIGKILL');

    expect(JSON.parse((await running).payload)).toMatchObject({ errorType: 'Runtime.ExitError' });
  });

  test('a busy process is found to be killed once its code is loaded, an idle one is not', async () => {
    const host = hostOf([localFunction('handler.hang'), localFunction('handler.echo')]);
    await host.invoke('handler-echo', '{}');
    const running = host.invoke('handler-hang', '{}');
    const busy = () => host.processes().filter(({ isBusy }) => isBusy);
    expect(busy()).toEqual([]);
    await vi.waitFor(() => expect(busy()).toMatchObject([{ functionName: 'handler-hang' }]), { timeout: 120_000 });

    busy()[0]?.kill('SIGKILL');

    expect(JSON.parse((await running).payload)).toMatchObject({ errorType: 'Runtime.ExitError' });
  });

  test('code that is no JavaScript, and a folder that is not there', async () => {
    mkdirSync(join(folder, 'code'));
    writeFileSync(join(folder, 'code', 'handler.mjs'), 'export const handler = async () => {');
    const broken = localFunction('handler.handler', { codeDirectory: join(folder, 'code') });
    const nowhere = localFunction('handler.echo', { codeDirectory: join(folder, 'nowhere') });

    expect((await run(broken)).answer).toMatchObject({ errorType: 'Runtime.UserCodeSyntaxError' });
    expect((await run(nowhere)).error).toBe('Unhandled');
  });

  test('the next invocation has a fresh process', async () => {
    const host = hostOf([localFunction('handler.wait', { timeoutMs: 300 })]);

    await host.invoke('handler-wait', '{"ms":5000}');
    const { functionError } = await host.invoke('handler-wait', '{"ms":0}');

    expect(functionError).toBeUndefined();
  });
});

describe('the log', () => {
  test('has every line with its function and its request, in the listener and in the file', async () => {
    const host = hostOf([localFunction('handler.logs')]);

    const one = await host.invoke('handler-logs', '{"name":"one"}');
    const two = await host.invoke('handler-logs', '{"name":"two"}', { logTail: true });

    expect(text('stdout')).toEqual(['first of one', 'unfinished of one', 'first of two', 'unfinished of two']);
    expect(text('stderr')).toEqual(['second of one', 'second of two']);
    const owners = lines.filter(({ text: line }) => line.endsWith('of two')).map(({ requestId }) => requestId);
    expect(new Set(owners)).toEqual(new Set([two.requestId]));
    const tail = Buffer.from(two.logResult ?? '', 'base64').toString();
    expect(tail).toContain('second of two');
    expect(tail).not.toContain('of one');
    const file = readFileSync(join(folder, 'logs', 'handler-logs.log'), 'utf8');
    expect(file).toContain(`${one.requestId} first of one`);
    expect(file).toContain(`REPORT RequestId: ${two.requestId}`);
  });

  test('is complete when the answer is there, however much was written', async () => {
    const host = hostOf([localFunction('handler.chatter')]);

    const { logResult } = await host.invoke('handler-chatter', '{"lines":20000}', { logTail: true });

    expect(text('stdout')).toHaveLength(20_000);
    expect(Buffer.from(logResult ?? '', 'base64').toString()).toMatch(/\nline 20000\nEND RequestId/);
  });

  test('says why a function was ended, after its last words', async () => {
    const host = hostOf([localFunction('handler.batch', { timeoutMs: 400 })]);
    const record = { body: '{"outcome":"hang","until":9}', attributes: { ApproximateReceiveCount: '1' } };

    await host.invoke('handler-batch', JSON.stringify({ Records: [record] }));

    expect(text('stdout')).toEqual(['got {"outcome":"hang","until":9}']);
    expect(text('platform').join('\n')).toContain('Task timed out after 0.40 seconds');
  });
});

describe('the clock', () => {
  test('a process starts on it, and follows it', async () => {
    const clockFile = join(folder, 'clock.json');
    writeFileSync(clockFile, '{"offsetMs":3600000}');
    const host = hostOf([localFunction('handler.now', { clockFile })]);
    const ahead = async (): Promise<number> => {
      const { payload } = await host.invoke('handler-now', '{}');
      return Math.round(((JSON.parse(payload) as { now: number }).now - Date.now()) / 60_000);
    };

    expect(await ahead()).toBe(60);
    host.setClock(7_200_000);
    expect(await ahead()).toBe(120);
  });
});

describe('the end', () => {
  test('lets a running invocation finish, leaves no process and takes nothing more', async () => {
    const host = hostOf([localFunction('handler.wait'), localFunction('handler.echo')]);
    await host.invoke('handler-echo', '{}');
    const running = host.invoke('handler-wait', '{"ms":300}');
    const pids = pidsOf(host);

    await host.close(60_000);

    expect((await running).functionError).toBeUndefined();
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => isAlive(pid))).toEqual([]);
    await expect(host.invoke('handler-echo', '{}')).rejects.toThrow('The run is ending.');
  });

  test('does not wait longer than its grace', async () => {
    const host = hostOf([localFunction('handler.hang', { timeoutMs: 60_000 })]);
    const running = host.invoke('handler-hang', '{}');
    const pids = pidsOf(host);

    await host.close(50);

    expect((await running).functionError).toBe('Unhandled');
    expect(pids.filter((pid) => isAlive(pid))).toEqual([]);
  });

  test('comes to a process that was idle for a while', async () => {
    const host = hostOf([localFunction('handler.echo')], { idleMs: 20 });
    await host.invoke('handler-echo', '{}');

    await vi.waitFor(() => expect(pidsOf(host)).toEqual([]), { timeout: 120_000 });
  });
});
