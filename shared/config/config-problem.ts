/** One thing that is wrong in a configuration (or, as a warning, odd): where it stands, and one sentence on what would be right. */
export interface ConfigProblem {
  /** As the document spells it: `campaigns.chat-bot.runs.nightly.stopAfter`, `schedules[0].at`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

/** Writes a path as people read it. */
export function formatPath(segments: readonly PropertyKey[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`))
    .join('')
    .replace(/^\./, '');
}
