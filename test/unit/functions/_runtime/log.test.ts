import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../../functions/_runtime/log.ts';

afterEach(() => vi.restoreAllMocks());

const redactCanary = (text: string) => text.replaceAll('canary', '***');

function capture() {
  const lines: string[] = [];
  // Powertools writes through the console; nothing to hand in instead.
  for (const method of ['info', 'error', 'warn', 'debug', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  }
  return lines;
}

test('[F11] an injected line break stays inside one JSON line', () => {
  vi.stubEnv('POWERTOOLS_DEV', 'true');
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
  vi.stubEnv('POWERTOOLS_DEV', 'true');
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
  vi.stubEnv('POWERTOOLS_DEV', 'true');
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
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test', redact: redactCanary });

  log.info('failed', 'broken', { text: `${'x'.repeat(2045)}canary` });

  expect(lines.join('')).not.toContain('can');
});

test('a sentence is capped as its fields are', () => {
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const lines = capture();
  const log = createLog({ functionName: 'register-datasets', stage: 'test' });

  log.error('failed', 'x'.repeat(1_000_000), { text: 'y'.repeat(1_000_000) });

  expect(lines.join('').length).toBeLessThan(6000);
});
