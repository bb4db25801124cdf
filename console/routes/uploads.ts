import { UsageError } from '#operator/errors.ts';
import { readDatasetRules, type StageDatasetRule } from '#operator/stage/stage-config.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { findWork, toShownVersion } from '#operator/uploads/shown-work.ts';
import { judgeBytes } from '#operator/uploads/file-looker.ts';
import { readingOptions } from '#operator/uploads/reading-options.ts';
import { listUploads } from '#operator/uploads/list-uploads.ts';
import type { Problem } from '../api.ts';
import type { CheckAnswer, UploadAnswer, UploadsAnswer } from '../api-work.ts';
import { answer, bytesOf, type ConsoleApp, depsOf, type ServedStage } from '../server/served-stage.ts';
import { partOf } from '../server/problems.ts';
import { countParameter, neededText } from './history.ts';

/** As large as the gateways of the field take a dataset. */
export const maxFileBytes = 10 * 1024 * 1024;

/** What became of files, and what is wrong with one before it is sent. */
export function addUploadRoutes(app: ConsoleApp): void {
  app.get('/api/stages/:stage/uploads', async (c) => {
    const question = {
      prefix: c.req.query('prefix') || datasetsPrefix,
      limit: countParameter(c.req.query('limit'), { name: 'limit', otherwise: 50, most: 200 }),
      cursor: c.req.query('before') || undefined,
    };
    const { uploads, next } = await listUploads(question, depsOf(c));
    return answer<UploadsAnswer>({ asOf: c.var.asOf, uploads, nextBefore: next });
  });
  app.get('/api/stages/:stage/uploads/:key{.+}', async (c) => {
    const found = await findWork(c.req.param('key'), depsOf(c));
    if (found.kind !== 'object') throw new UsageError(`${c.req.param('key')} is a command, and no file`);
    return answer<UploadAnswer>({
      asOf: c.var.asOf,
      key: found.key,
      versions: found.versions.map((seen) => toShownVersion(seen)),
    });
  });
  app.post('/api/stages/:stage/check', async (c) => {
    const key = neededText(c.req.query('key'), 'key');
    const options = readingOptions((name) => c.req.query(name) || undefined);
    const judged = await judgeBytes(key, await bytesOf(c.req.raw, maxFileBytes), options);
    return answer<CheckAnswer>({ ...judged, ...(await ruleOf(key, c.var.stage)) });
  });
}

/** The rule that a key meets. A person who may not ask the stage has the check all the same. */
export async function ruleOf(
  key: string,
  stage: ServedStage,
): Promise<{ readonly rule?: StageDatasetRule; readonly ruleUnknownBecause?: string }> {
  const deps = stage.deps();
  const problems: Problem[] = [];
  const rules = await partOf('rule', async () => readDatasetRules(deps), { target: deps.target, problems });
  if (rules === undefined) return { ruleUnknownBecause: problems[0]?.message };
  return { rule: chooseRule(rules, key) };
}
