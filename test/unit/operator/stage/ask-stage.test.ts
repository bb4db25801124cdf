import * as z from 'zod';
import { expect, test } from 'vitest';
import { askStage } from '#operator/stage/ask-stage.ts';
import { fakeDeps } from '../fake-deps.ts';

/** Asks a stage whose functions answer with their own name. */
async function askedFunction(ask: string): Promise<unknown> {
  const { deps } = fakeDeps();
  const stage = {
    ...deps.stage,
    invoke: async (arn: string) => ({ payload: JSON.stringify(arn.split(':').at(-1)) }),
  };
  return askStage({ ask }, z.string(), { stage });
}

test.each(['config', 'config-at', 'token', 'supplies', 'preview'])(
  'asks %s of the function that can change nothing',
  async (ask) => {
    expect(await askedFunction(ask)).toBe('answer-questions');
  },
);
