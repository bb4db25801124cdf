import { visibleText } from '#shared/text/visible-text.ts';
import type { Command } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { writeDocument } from '../terminal/output.ts';
import { evidenceDocument } from '#operator/evidence/document/evidence-document.ts';
import { readEvidence } from '#operator/evidence/read-evidence.ts';
export const command: Command = {
  line: {
    says: 'One document (Markdown) about one start of a campaign run.',
    more: 'Who asked and why, and what each guard said. When it started and stopped, by whom, and if it was confirmed. The scanner versions, the project and the campaign at the start, and what changed while it ran. It says what is not known, and never holds the token.',
    words: {
      '<RUN>':
        "a configured run or a run's uuid: its latest start; or a start's command id, as autopilot history RUN has them",
    },
    options: {
      '--out <FILE>': 'write it there, and print where; .html for a page',
    },
    examples: [
      'autopilot evidence nightly --out nightly.md',
      'autopilot evidence weeknights@2026-11-20T21:45:00Z',
      'autopilot evidence nightly --json | jq .course.comparable',
    ],
  },
  async run(args, deps) {
    const [word = ''] = args.positionals;
    const file = args.text('out');
    if (file !== undefined && /\.(?:pdf|docx?|json|csv)$/i.test(file))
      throw new UsageError(
        `--out: ${file} would hold Markdown. Name it .md, or .html for a page, which a browser prints as PDF`,
      );
    if (file === '-') throw new UsageError('--out: - names no file: without --out the document is printed');
    const evidence = await readEvidence(word, deps);
    if (file === undefined) {
      return { data: evidence, render: () => evidenceDocument(evidence) };
    }
    await writeDocument(file, await documentFor(file, evidenceDocument(evidence)));
    return {
      data: { ...evidence, file },
      render: () => [`evidence of ${evidence.start.command.id} written to ${file}`],
    };
  },
};

async function documentFor(file: string, lines: readonly string[]): Promise<string> {
  if (!/\.html?$/i.test(file)) return lines.map(visibleText).join('\n');
  const { evidencePage } = await import('#console/html-file.ts');
  return evidencePage(lines);
}
