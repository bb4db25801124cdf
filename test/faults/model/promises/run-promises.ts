import { type Evidence } from '../../judge/evidence.ts';
import { judge } from '../../judge/judge.ts';
import type { Played } from '../play.ts';
import { commandsOf, parkedMessagesOf } from '../sent-work.ts';
import { gatewayNamed, runsConfigOf } from '../stage-config.ts';

/** A tick of the watcher, the queue, and a few answers that fail; a stop that SQS gave up comes again after an hour. */
const stopSlackMs = { kept: 20 * 60_000, givenUp: 100 * 60_000 } as const;

/** An accepted start begins a minute later: what was still to come at the end of a history counts. */
const stillToComeMs = 10 * 60_000;

/**
 * What must hold of every command and every run: I1, I2, I4, I5, I6, I8 and I11, by what took effect at
 * the gateway. Each broken promise is one sentence.
 */
export function brokenRunPromises(played: Played): readonly string[] {
  const { scenario, healedMs } = played;
  const { time, gateway, seen, frozen } = played.stage.world;
  const commands = commandsOf(played).map(({ command }) => command);
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  const isGivenUp = (id: string) => givenUp.some((message) => message.includes(`"${id}"`));
  const slackMs = scenario.maxReceiveCount < 1000 ? stopSlackMs.givenUp : stopSlackMs.kept;
  const evidence: Evidence = {
    ...seen,
    frozen,
    blackouts: (scenario.campaign?.blackouts ?? []).flatMap(({ window }) =>
      window.kind === 'once' ? [{ fromMs: Date.parse(window.from), untilMs: Date.parse(window.to) }] : [],
    ),
    config: runsConfigOf(scenario),
    kind: gatewayNamed(scenario.gateway).kind,
    commands,
    effects: gateway.effects(time.nowMs() + stillToComeMs),
    requests: gateway.requests.flatMap(({ method, by, atMs }) => (method === 'PATCH' ? [{ by, atMs }] : [])),
    unended: new Set(commands.map(({ id }) => id).filter(isGivenUp)),
    liedAbout: gateway.liedAbout,
    // Once nothing is broken any more.
    latestEndMs: (endsAtMs) => Math.max(endsAtMs, healedMs) + slackMs,
  };
  return [...judge(evidence), ...persons(played)];
}

/** I3: a lost answer needs no person. Attempts that die may, and what SQS gives up. */
function persons({ scenario, stage }: Played): readonly string[] {
  const deaths = scenario.steps.filter((step) => step.do === 'kill').length;
  if (deaths > 2 || scenario.maxReceiveCount < 1000) return [];
  return [...stage.world.seen.outcomes].flatMap(([id, { kind, reason = '' }]) =>
    kind === 'parked' && /^(?:START_OUTCOME_UNKNOWN|CRASH_LOOP)$/.test(reason) ? [`I3: ${id} is parked ${reason}`] : [],
  );
}
