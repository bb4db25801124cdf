import { describe, expect, it } from 'vitest';
import { commandsOfMode } from '#functions/_handler/stage-ledger.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';

describe('the commands of a stage', () => {
  const command = {
    version: 1,
    id: 'planned-stop:x',
    action: 'stop',
    run: 'nightly',
    issuedAt: '2026-11-20T10:00:00.000Z',
    origin: { kind: 'watcher', name: 'watch-campaigns' },
  };

  async function sentIn(mode: 'act' | 'observe') {
    const bodies: string[] = [];
    await commandsOfMode(mode, { send: async (body) => void bodies.push(body) }).send(JSON.stringify(command));
    return bodies.map((body) => parseCampaignRunCommand(body, new Date(command.issuedAt)));
  }

  it('say that they were only observed if it only observes, and the worker takes them all the same', async () => {
    expect(await sentIn('observe')).toEqual([{ ok: true, command: { ...command, isObserved: true } }]);
  });
});
