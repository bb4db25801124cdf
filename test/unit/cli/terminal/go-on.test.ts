import { expect, test } from 'vitest';
import type { CommandResult } from '#cli/terminal/command.ts';
import { showResult } from '#cli/terminal/go-on.ts';
import { fakeDeps } from '../../operator/fake-deps.ts';

/**
 * A result with these names, each shown once, and a stage that fails to answer if a name is
 * missing.
 */
function results(...names: readonly (string | undefined)[]): CommandResult {
  const [name = '', ...rest] = names;
  const next = async (): Promise<CommandResult> => {
    while (rest.length > 0 && rest[0] === undefined) {
      rest.shift();
      throw new Error('the stage does not answer');
    }
    return results(...rest);
  };
  const goesOn = rest.length === 0 ? undefined : { isRedrawn: false, next };
  return { data: { name }, render: () => [name], ...(goesOn && { goesOn }) };
}

test('what goes on is shown once each, also behind a reading that failed, until there is no more', async () => {
  const { deps, told } = fakeDeps({});
  const written: string[] = [];
  const write = ({ data }: CommandResult) => void written.push(JSON.stringify(data));

  const last = await showResult(results('first', undefined, 'second', 'third'), process.stdout, {
    ...deps,
    wait: async () => {},
    write,
  });

  expect(written).toEqual(['{"name":"first"}', '{"name":"second"}', '{"name":"third"}']);
  expect(last.data).toEqual({ name: 'third' });
  expect(told).toEqual([expect.stringContaining('not read: ')]);
});
