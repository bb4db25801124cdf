import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandList } from '#cli/command-list.ts';
import { pagesOf } from '#cli/runbook.ts';
import { packageFolder } from '#shared/places.ts';
import { alarmPrefix } from '#infra/constructs/monitoring/alarm-names.ts';
import { describe, expect, test } from 'vitest';
import { argumentsOf, fakeDeps, linesOf } from '../operator/fake-deps.ts';

async function runbook(...words: readonly string[]): Promise<string> {
  const { command } = await (commandList['runbook']?.load() ?? Promise.reject(new Error('there is no such command')));
  return linesOf(await command.run(argumentsOf(command, ...words), fakeDeps().deps)).join('\n');
}

describe('autopilot runbook', () => {
  const names = pagesOf(readFileSync(join(packageFolder, 'docs', 'runbook.md'), 'utf8')).map(({ name }) => name);

  test('lists each page once, and each page that it lists is printed', async () => {
    const listed = (await runbook()).split('\n').flatMap((line) => /^ {2}(\S+)$/.exec(line)?.[1] ?? []);

    expect(listed.toSorted()).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(await runbook(name)).toMatch(new RegExp(`^### ?|^## ?`));
  });

  test('takes a name in any case', async () => {
    expect(await runbook('check_failed')).toMatch(/^### CHECK_FAILED\n/);
  });

  // They were printed as links, which lead from a browser alone, and in the package to pages that it did not have.
  test('prints where a link leads to as a command or a path, and leaves no link', async () => {
    const pages = await Promise.all(names.map(async (name) => runbook(name)));
    const ends = pages.flatMap((text) =>
      [...text.matchAll(/ \[((?:npx|docs\/|http)[^\]]*)\]/g)].map(([, end = '']) => end),
    );
    const [commands, paths] = [/^npx --no -- autopilot runbook ?(\S*)$/, /^(docs\/[^#]+)/].map((kind) =>
      ends.flatMap((end) => kind.exec(end)?.[1] ?? []),
    );

    expect(pages.join('\n')).not.toMatch(/\]\(/);
    expect(commands).toEqual(expect.arrayContaining(['AuthRefused', 'Roll-back', '']));
    expect(commands?.filter((name) => name !== '' && !names.includes(name))).toEqual([]);
    expect(paths).toContain('docs/guards.md');
    expect(paths?.filter((path) => !existsSync(join(packageFolder, path)))).toEqual([]);
  });

  // Pasted in a folder of one's own, they ended with 127.
  test('writes each command as the terminal takes it', async () => {
    const pages = await Promise.all(names.map(async (name) => runbook(name)));

    expect(pages.join('\n')).toContain('\n    npx --no -- autopilot stop --all-in-flight --reason "INC-7"\n');
    expect(pages.join('\n')).not.toMatch(/^ +(?:npx )?autopilot /m);
  });

  test('takes the whole name of an alarm, as CloudWatch shows it', async () => {
    expect(await runbook(`${alarmPrefix('prod-eu')}GateClosed`)).toMatch(/^### GateClosed\n/);
  });

  test('names the nearest page for a name that it does not have', async () => {
    await expect(runbook('CHEK_FAILED')).rejects.toThrow(
      'the runbook has no page "CHEK_FAILED": did you mean "CHECK_FAILED"?',
    );
    await expect(runbook('a', 'b')).rejects.toThrow('unexpected argument "b"');
  });
});
