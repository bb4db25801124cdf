import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { configParts } from '#infra/config/config-parts.ts';
import type { AutomationDocument } from '#shared/config/automation.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { changed } from '../../unit/shared/config/document.ts';
import { stageWith } from '../stacks/stage-with.ts';
import type { StageTemplates } from '../template.ts';
import { files, fullDocument, otherValues } from './full-document.ts';

/**
 * A setting that was left out of one copying function used to compile, and all tests but one
 * passed, while it never took effect. So each setting of the types is changed here, and the change
 * must arrive.
 */
function resolved(document: unknown): ResolvedAutomation {
  const result = resolveAutomation('prod', document, {
    isLocalStage: false,
    now: new Date('2026-11-20T12:00:00Z'),
    readText: (path) => files[path] ?? '',
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.automation;
}

const before = resolved(fullDocument);
let templatesBefore: StageTemplates;

beforeAll(async () => {
  templatesBefore = await stageWith(fullDocument, 'prod');
});

/** Without the digests of assets: they carry the parts, which are compared as they are. */
function bodiesOf({ state, workers }: StageTemplates): unknown {
  return [state.normalised, workers.normalised];
}

test.each(Object.entries(otherValues))('another %s reaches a function or a template', async (path, value) => {
  const document = changed(path, value, fullDocument) as AutomationDocument;

  const after = resolved(document);

  expect(after).not.toEqual(before);
  // A start on one machine compares them so, and makes the stage again.
  expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
  const isInPart = !isDeepStrictEqual(configParts(after), configParts(before));
  const isInTemplate = async () =>
    !isDeepStrictEqual(bodiesOf(await stageWith(document, 'prod')), bodiesOf(templatesBefore));
  expect(isInPart || (await isInTemplate())).toBe(true);
});
