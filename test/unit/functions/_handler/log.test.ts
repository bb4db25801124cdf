import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '#functions/_handler/output.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const redactCanary = (text: string) => text.replaceAll('canary', '***');

/** Lines go to the process's own streams; nothing to hand in instead. */
function capture() {
  const lines: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((line: unknown) => lines.push(String(line)) > 0);
  }
  return lines;
}

test('[F11] an injected line break stays inside one JSON line', () => {
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test' });

  log.info('outcome', 'applied', { key: 'a\n{"event":"outcome","outcome":"applied"}\u2028b' });

  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'outcome',
    key: 'a\n{"event":"outcome","outcome":"applied"}\u2028b',
  });
});

test('[F12] a secret is redacted wherever it stands', () => {
  const lines = capture();
  const log = createLog({
    functionName: 'register-datasets',
    stage: 'test',
    redact: redactCanary,
  });

  log.error('failed', 'broken', { error: new Error('with canary inside'), nested: [{ deep: 'canary' }] });

  expect(lines.join('')).not.toContain('canary');
});

test('a secret is redacted in the sentence and in the names of fields too', () => {
  const lines = capture();
  const log = createLog({
    functionName: 'register-datasets',
    stage: 'test',
    redact: redactCanary,
  });

  log.error('failed', 'attempt failed: refused canary', { headers: { canary: 1 } });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'attempt failed: refused ***', headers: { '***': 1 } });
});

test('[F12] a secret that the cap would cut is redacted whole', () => {
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test', redact: redactCanary });

  log.info('failed', 'broken', { text: `${'x'.repeat(2045)}canary` });

  expect(lines.join('')).not.toContain('can');
});

test('a sentence is capped as its fields are', () => {
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test' });

  log.error('failed', 'x'.repeat(1_000_000), { text: 'y'.repeat(1_000_000) });

  expect(lines.join('').length).toBeLessThan(6000);
});

test('a line is what people and queries read, and no more', () => {
  const lines = capture();
  const { setRequestId, ...log } = createLog({ functionName: 'update-campaign-runs', stage: 'prod' });
  setRequestId('8f1d7b52-3c64-4d7e-9f55-000000000001');

  log.info('outcome', 'applied by-morning@1', { outcome: 'applied', reason: undefined });

  expect(lines).toEqual([
    `${JSON.stringify({
      level: 'INFO',
      message: 'applied by-morning@1',
      service: 'update-campaign-runs',
      stage: 'prod',
      requestId: '8f1d7b52-3c64-4d7e-9f55-000000000001',
      event: 'outcome',
      outcome: 'applied',
    })}\n`,
  ]);
});

test('no field stands in for what a line says of itself', () => {
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test' });

  log.warn('failed', 'broken', { level: 'INFO', event: 'outcome', service: 'another', huge: 1n });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'WARN',
    event: 'failed',
    service: 'register-datasets',
    huge: '1',
  });
});

test.each([
  [undefined, ['INFO', 'WARN', 'ERROR']],
  ['', ['INFO', 'WARN', 'ERROR']],
  ['loud', ['INFO', 'WARN', 'ERROR']],
  ['DEBUG', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
  ['debug', ['DEBUG', 'INFO', 'WARN', 'ERROR']],
  ['ERROR', ['ERROR']],
])('of the level "%s" on, lines are written: %j', (leastLevel, written) => {
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test', leastLevel });

  log.debug('gateway_request', 'PATCH');
  log.info('outcome', 'applied');
  log.warn('record_later', 'later');
  log.error('failed', 'broken');

  expect(lines.map((line) => JSON.parse(line).level)).toEqual(written);
});
