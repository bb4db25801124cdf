import { beforeAll, describe, expect, test } from 'vitest';
import { houseRules, judge } from '#infra/validation/house-rules.ts';
import { createStageModel, type StageModel, type Template } from '#infra/validation/stage-model.ts';
import { plainId } from '../security/words.ts';
import { options } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import type { StageTemplates } from '../template.ts';
import { plants } from './plants.ts';

describe('our own rules', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await stageWith(options['encryption']?.changes ?? {}, 'prod'); // with every kind of resource that a rule is about
  });

  test.each(plants)('[C7 F13] $rule finds $what', ({ rule, spoil, at }) => {
    const before = foundIn(createStageModel(templatesOf(stage)));
    const spoilt = structuredClone(stage);
    spoil(spoilt);

    const after = foundIn(createStageModel(templatesOf(spoilt)));
    const news = after.filter((finding) => !before.includes(finding));

    expect(news.map((finding) => finding.replace(/Statement\.\d+/, 'Statement.N'))).toContain(`${rule}: ${at}`);
    expect(news.filter((finding) => !finding.startsWith(`${rule}: `))).toEqual([]);
  });

  test('each has its violation here, and says in a sentence what has to be so', () => {
    expect(new Set(plants.map(({ rule }) => rule))).toEqual(new Set(houseRules.map(({ id }) => id)));
    for (const { id, sentence } of houseRules) expect(sentence.length, id).toBeGreaterThan(15);
  });
});

function templatesOf({ state, workers }: StageTemplates): Template[] {
  return [state, workers];
}

/** `rule: LogicalId path`, the ids without their hashes. */
function foundIn(stage: StageModel): string[] {
  return judge(stage).map(({ rule, finding }) => `${rule.id}: ${plainId(finding.logicalId)} ${finding.path}`);
}
