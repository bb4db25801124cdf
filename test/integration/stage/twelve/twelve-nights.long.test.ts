/** Twelve nights: each is told by two commands and the first screen, and what is printed helps when it is pasted. */
import { afterAll, describe, expect, test } from 'vitest';
import { opensStage } from '../../console/harness/console-over-stage.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { automationOf, becomeQuiet, nights, observingNight } from './nights.ts';
import { asked, play } from './play-night.ts';

describe('a stage that acts', async () => {
  const it = await openInProcessStage({ automation: automationOf('act') });
  const look = opensStage(it);
  afterAll(it.close);

  test.each(Object.entries(nights))('%s', async (_name, night) => {
    try {
      expect(await play({ stage: it, look }, night)).toMatch(night.helped);
    } finally {
      await becomeQuiet(it);
    }
  });
});

test('a stage only observes', async () => {
  const it = await openInProcessStage({ automation: automationOf('observe') });
  const headline = await play({ stage: it, look: opensStage(it) }, observingNight);
  const sent = await asked(it, ['upload', 'examples/datasets/prompt-injection.csv']);
  await it.close();

  expect(headline).toMatch(observingNight.helped);
  expect(sent).toMatch(/: observed: would have sent: POST/);
});
