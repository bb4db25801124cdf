import { listUploads, type UploadEntry } from '#operator/uploads/list-uploads.ts';
import type { Command } from '../terminal/command.ts';
import { oneLine, outcomeWords } from '../terminal/output.ts';
import { noteLines, type When } from '../terminal/times.ts';
import { countArgument } from '../terminal/arguments.ts';
import { wholePrefix } from './upload-arguments.ts';

export const command: Command = {
  line: {
    says: 'Every version of every file below datasets/, newest first: when, its result, and its dataset or parked id.',
    more: 'A file that is gone from the bucket is not listed; parked list and show tell of it.',
    options: {
      '--prefix <P>': 'only below datasets/P/',
      '--limit <N>': 'so many (20, at most 100)',
      '--cursor <C>': 'the page behind the one that named C',
    },
    examples: [
      'autopilot uploads --prefix pii --limit 50',
      "autopilot uploads --json | jq '.uploads[] | select(.parkedId) | .key'",
    ],
  },
  async run(args, deps) {
    const prefix = wholePrefix(args.text('prefix') ?? '');
    const limit = countArgument('--limit', args.text('limit') ?? String(defaultLimit), mostEntries);
    const { uploads, next, listed, isPartial } = await listUploads(
      { prefix, limit, cursor: args.text('cursor') },
      deps,
    );
    return {
      data: { uploads, next, isPartial },
      now: await deps.now(),
      render: (screen) => [
        ...(uploads.length === 0 ? [] : noteLines(screen)),
        ...oneLine(
          uploads.map((entry) => cellsOf(entry, screen.at)),
          screen,
        ).map((line, index) => (uploads[index]?.parkedId === undefined ? line : screen.paint('red', line))),
        ...(uploads.length === 0 ? [`no file is below ${prefix}`] : []),
        ...(next === undefined ? [] : [screen.paint('dim', `there are older ones: --cursor ${next}`)]),
        ...(isPartial === true
          ? [`only the first ${listed} versions below ${prefix} were looked at: --prefix names fewer`]
          : []),
      ],
    };
  },
};

const defaultLimit = 20;
const mostEntries = 100;

function cellsOf(entry: UploadEntry, at: When['at']): readonly string[] {
  const { uploadedAt = '', state, key } = entry;
  return [at(uploadedAt), outcomeWords(state, entry), key, aboutOf(entry, at)];
}

/** What a person asks for next: the dataset, the id of the parked row, when it is tried again. */
function aboutOf({ datasetId, parkedId, pending, notBefore }: UploadEntry, at: When['at']): string {
  if (parkedId !== undefined) return `parked ${parkedId}`;
  if (datasetId !== undefined) return `dataset ${datasetId}`;
  if (pending?.lastError === undefined) return '';
  return `${pending.lastError}${notBefore === undefined ? '' : `; next try ${at(notBefore)}`}`;
}
