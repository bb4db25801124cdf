/** What became of work: a shape and a word, and a colour beside them. Never the colour alone. */

type Tone = 'good' | 'bad' | 'warn' | 'plain';

const looks: Readonly<Record<string, readonly [shape: string, tone: Tone]>> = {
  applied: ['●', 'good'],
  ready: ['●', 'good'],
  ok: ['●', 'good'],
  convertible: ['◐', 'warn'],
  skipped: ['◆', 'warn'],
  deferred: ['◇', 'warn'],
  superseded: ['○', 'plain'],
  ignored: ['○', 'plain'],
  parked: ['▲', 'bad'],
  problem: ['▲', 'bad'],
  problems: ['▲', 'bad'],
  warning: ['◆', 'warn'],
};

/** The word for it; a deferral has a plainer name on the page. */
const names: Readonly<Record<string, string>> = { deferred: 'put off' };

export function Outcome({ outcome, reason }: { readonly outcome: string; readonly reason?: string }) {
  const [shape, tone] = looks[outcome] ?? ['○', 'plain'];
  return (
    <span class={`outcome ${tone}`}>
      <span aria-hidden="true">{shape}</span> {names[outcome] ?? outcome}
      {reason === undefined ? null : <code class="reason">{reason}</code>}
    </span>
  );
}

/** A short word in a frame: `observe`, `FROZEN`. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
