import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../../functions/_runtime/log.ts';

afterEach(() => vi.restoreAllMocks());

function capture() {
  const lines: string[] = [];
  // Powertools writes through the console; nothing to hand in instead.
  for (const method of ['info', 'error', 'warn', 'debug', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  }
  return lines;
}

test('an injected line break stays inside one JSON line', () => {
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

test('a secret is redacted wherever it stands', () => {
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const lines = capture();
  const log = createLog({
    functionName: 'register-datasets',
    stage: 'test',
    redact: (text) => text.replaceAll('canary', '***'),
  });

  log.error('failed', 'broken', { error: new Error('with canary inside'), nested: [{ deep: 'canary' }] });

  expect(lines.join('')).not.toContain('canary');
});
