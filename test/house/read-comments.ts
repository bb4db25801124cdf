/** A comment that stands on lines of its own. */
export interface Comment {
  /** Its first line, from 1. */
  readonly line: number;
  readonly isDoc: boolean;
  /** Its lines without the marks of a comment. */
  readonly text: readonly string[];
  /** It is the first thing of its file, but for a shebang. */
  readonly headsFile: boolean;
  /** The line behind it, as it is. */
  readonly next: string;
}

/** Reads the comments of a source; one behind code on the same line is left out. */
export function readComments(source: string): Comment[] {
  const lines = source.split('\n');
  const comments: Comment[] = [];
  for (let at = 0; at < lines.length;) {
    const end = endOfComment(lines, at);
    if (end === at) {
      at += 1;
      continue;
    }
    const before = lines.slice(0, at).filter((line) => line.trim() !== '' && !line.startsWith('#!'));
    comments.push({
      line: at + 1,
      isDoc: (lines[at] ?? '').trimStart().startsWith('/**'),
      text: lines.slice(at, end).map(withoutMarks),
      headsFile: before.length === 0,
      next: lines[end] ?? '',
    });
    at = end;
  }
  return comments;
}

/** The line behind a comment that begins here; the same line if none does. */
function endOfComment(lines: readonly string[], begin: number): number {
  const first = (lines[begin] ?? '').trimStart();
  if (first.startsWith('//')) {
    const behind = lines.findIndex((line, at) => at > begin && !line.trimStart().startsWith('//'));
    return behind === -1 ? lines.length : behind;
  }
  if (!first.startsWith('/*')) return begin;
  const last = lines.findIndex((line, at) => at >= begin && line.includes('*/'));
  return last === -1 ? begin : last + 1;
}

function withoutMarks(line: string): string {
  return line.replace(/^\s*(?:\/\*+|\*(?!\/)|\/\/)? ?/, '').replace(/\s*\*\/\s*$/, '');
}
