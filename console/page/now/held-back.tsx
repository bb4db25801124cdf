import type { NowAnswer } from '../../api.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { Distance, Instant, Sentence, Time } from '../words/time.tsx';

/** Freezes, pauses, the gate and a moved clock: what holds everything else back stands on top. */
export function HeldBack({ now }: { readonly now: NowAnswer }) {
  const { gate, switches, clock } = now;
  return (
    <div class="bands" role="region" aria-label="What holds starts back">
      {switches.map(({ scope, name, by, reason, at, until }) => (
        <p key={`${scope} ${name}`} class="band warn">
          <strong>{scope === 'stage' ? 'FROZEN' : `PAUSED ${scope} ${name}`}</strong> by {by} <Distance at={at} />:{' '}
          <Sentence text={reason} /> ·{' '}
          {until === undefined ? (
            <span>no end is set</span>
          ) : (
            <span>
              until <Instant at={until} />
            </span>
          )}
          <CommandLine line={scope === 'stage' ? cli('thaw') : cli('resume', scope, name)} />
        </p>
      ))}
      {gate.state === 'open' ? null : (
        <p class={`band ${gate.state === 'closed' ? 'bad' : 'warn'}`}>
          <strong>GATE {gate.state === 'closed' ? 'CLOSED' : 'PAUSED'}</strong>{' '}
          {gate.until === undefined ? null : (
            <span>
              until <Instant at={gate.until} />:{' '}
            </span>
          )}
          <Sentence text={gate.reason} />
        </p>
      )}
      {clock === undefined || clock.offsetMs === 0 ? null : (
        <p class="band plain">
          <strong>CLOCK MOVED</strong> It is <Time at={now.now} /> for this local stage.
          <CommandLine line={cli('clock')} />
        </p>
      )}
    </div>
  );
}
