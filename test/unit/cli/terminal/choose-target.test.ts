import { chooseTarget } from '#cli/terminal/choose-target.ts';
import { describe, expect, test } from 'vitest';
import { argumentsOf } from '../../operator/fake-deps.ts';

const runFile = JSON.stringify({ pid: 1, endpoint: 'http://127.0.0.1:5000', stage: 'dev', region: 'eu-central-1' });

function choose(argv: readonly string[], env: Record<string, string> = {}, files: Record<string, string> = {}) {
  return chooseTarget({
    args: argumentsOf({ line: { says: '' } }, ...argv),
    env,
    cwd: '/home/grace',
    readText: (path) => files[path],
  });
}

/** The same with `--data /d`, of which no file can be read. */
function chooseUnread(code: string) {
  const readText = () => {
    throw Object.assign(new Error('not read'), { code });
  };
  return chooseTarget({ args: argumentsOf({ line: { says: '' } }, '--data', '/d'), env: {}, cwd: '/', readText });
}

describe('the stage of a command', () => {
  test('is this machine, at the usual port, if nothing says otherwise', () => {
    expect(choose([])).toEqual({
      kind: 'local',
      stage: 'local',
      endpoint: 'http://127.0.0.1:4566',
      region: 'eu-west-1',
      folder: '/home/grace/.autopilot',
    });
  });

  test('is the run that wrote about itself in the working folder', () => {
    expect(choose([], {}, { '/home/grace/.autopilot/local.json': runFile })).toEqual({
      kind: 'local',
      stage: 'dev',
      endpoint: 'http://127.0.0.1:5000',
      region: 'eu-central-1',
      folder: '/home/grace/.autopilot',
    });
  });

  test.each([
    [['--data', 'run'], {}, '/home/grace/run/local.json'],
    [[], { AUTOPILOT_DATA: '/var/run-2' }, '/var/run-2/local.json'],
    [['--data', '/a'], { AUTOPILOT_DATA: '/b' }, '/a/local.json'],
  ])('%j with %j reads %s', (argv, env, path) => {
    expect(choose(argv, env, { [path]: runFile })).toMatchObject({ endpoint: 'http://127.0.0.1:5000' });
  });

  test('is nowhere, rather than another run, if the folder that was named has none', () => {
    const files = { '/home/grace/.autopilot/local.json': runFile };

    expect(() => choose(['--data', 'typo'], {}, files)).toThrow('no local run has its state in /home/grace/typo');
  });

  test('is the address at which a stage listens, by whatever name: ::1 may be another user’s', () => {
    expect(choose([], { AWS_ENDPOINT_URL: 'http://localhost:4566' })).toMatchObject({
      endpoint: 'http://127.0.0.1:4566',
    });
  });

  test('is AWS_ENDPOINT_URL before the file, and the stage of the file only where both mean the same run', () => {
    const files = { '/home/grace/.autopilot/local.json': runFile };

    expect(choose([], { AWS_ENDPOINT_URL: 'http://127.0.0.1:9/' }, files)).toMatchObject({
      endpoint: 'http://127.0.0.1:9',
      stage: 'local',
    });
    expect(choose([], { AWS_ENDPOINT_URL: 'http://127.0.0.1:5000/' }, files)).toMatchObject({ stage: 'dev' });
  });

  test('is AWS by flag or by AUTOPILOT_TARGET, with a stage', () => {
    expect(choose(['--aws', '--stage', 'prod', '--region', 'eu-west-2'])).toEqual({
      kind: 'aws',
      stage: 'prod',
      region: 'eu-west-2',
    });
    expect(choose(['--stage', 'prod'], { AUTOPILOT_TARGET: 'aws' })).toEqual({ kind: 'aws', stage: 'prod' });
    expect(choose(['--local'], { AUTOPILOT_TARGET: 'aws' })).toMatchObject({ kind: 'local' });
  });

  test.each([
    [['--aws'], {}, /must be named/],
    [['--aws', '--local'], {}, /exclude each other/],
    [['--aws', '--stage', 'a b'], {}, /cannot be the name of a stage/],
    [[], { AUTOPILOT_TARGET: 'prod' }, /local or aws/],
    [['--profile', 'work'], {}, /are for AWS/],
    [[], { AWS_ENDPOINT_URL: 'https://sqs.eu-west-1.amazonaws.com' }, /not on this machine/],
    [[], { AWS_ENDPOINT_URL: 'http://127.0.0.1.example.com' }, /not on this machine/],
    [['--aws', '--stage', 'prod'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }, /is this machine/],
  ])('refuses %j with %j', (argv, env, sentence) => {
    expect(() => choose(argv, env)).toThrow(sentence);
  });

  // It said to start a stage with its state in that file.
  test('says that a file is no folder', () => {
    expect(() => chooseUnread('ENOTDIR')).toThrow('/d is no folder: name the folder of a stage with --data');
  });

  // It said only that the file cannot be read.
  test.each(['EACCES', 'EPERM'])('says why the folder of another user is not read, and what to do: %s', (code) => {
    expect(() => chooseUnread(code)).toThrow(
      `/d/local.json cannot be read (${code}). Run this as the user who started that stage, or name another folder with --data`,
    );
  });

  test('refuses a run file that leads off this machine, or cannot be read', () => {
    const elsewhere = JSON.stringify({ endpoint: 'https://example.com', stage: 'dev', region: 'eu-west-1' });

    expect(() => choose([], {}, { '/home/grace/.autopilot/local.json': elsewhere })).toThrow(/not on this machine/);
    expect(() => choose([], {}, { '/home/grace/.autopilot/local.json': '{' })).toThrow(/delete it/);
  });
});
