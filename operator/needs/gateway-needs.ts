import { type JudgedFinding, judged } from '../finding.ts';
import { counted, roughly } from '../readable.ts';
import { beforeGateway, gatewayConnection, gatewayIsOpen } from '../stage/gate-status.ts';
import type { ReadStatus } from '../status/status.ts';
import { troubleOf } from '#shared/gateway-client/failures/troubles.ts';

/** Longer than an attempt and its first repeat take. */
const longestUnansweredMs = 2 * 60_000;

/** Whether workers call the gateway, since when it gives no good answer, and what stands before it. Pure. */
export function gatewayFindings(status: ReadStatus, now: Date): readonly JudgedFinding[] {
  const refused = edgeFindings(status, now);
  if (refused.length > 0 && status.gate.state === 'open') return refused;
  const { causes, ...gate } = gateFinding(status, now);
  return [{ ...gate, causes: causes && [...causes, ...refused.map(({ subject }) => subject)] }, ...refused];
}

function gateFinding({ gate, pending }: ReadStatus, now: Date): JudgedFinding {
  const subject = gatewayConnection;
  const troubled = pending.filter(isUnanswered);
  // An outage begins before the gate closes.
  const since = [...troubled, ...(gate.state === 'open' ? [] : [gate])].map((one) => one.since).toSorted()[0] ?? '';
  const ageMs = now.getTime() - Date.parse(since);
  const age = roughly(ageMs);
  if (gate.state === 'open') {
    if (!(ageMs > longestUnansweredMs)) return judged.ok(subject, gatewayIsOpen);
    const says = `no good answer for ${age} to ${counted(troubled.length, 'item')}: ${troubled[0]?.lastError}`;
    return judged.warning(subject, says, {
      moments: [{ says: 'since', at: since }],
      causes: ['token', 'gateway'],
      next: { says: 'Find out why. The work is tried again automatically.', command: ['autopilot', 'doctor'] },
    });
  }
  const { until, reason } = gate;
  if (gate.state === 'paused') {
    return judged.warning(subject, `paused for ${age}: ${reason}`, {
      moments: [
        { says: 'since', at: since },
        { says: 'until', at: until },
      ],
      next: { says: 'Nothing to do: it goes on automatically.' },
    });
  }
  return judged.problem(subject, `down for ${age}: ${reason}`, {
    moments: [
      { says: 'since', at: since },
      { says: 'next probe', at: until },
    ],
    causes: ['token', 'gateway'],
    next: {
      says: 'Find out why. Once the gateway answers, work goes on automatically.',
      command: ['autopilot', 'doctor'],
    },
  });
}

/** Work whose last request the gateway answered with an error of its own, or not at all. */
function isUnanswered({ lastError, evidence }: ReadStatus['pending'][number]): boolean {
  return lastError !== undefined && evidence?.speaker === undefined && (evidence?.httpStatus ?? 500) >= 500;
}

/** As many different subjects as close the gate. */
const mostRefused = 3;
const longestRefusedMs = 10 * 60_000;

/** Work that something before the gateway refuses: of several subjects, or for ten minutes. One finding for each kind of refusal. */
function edgeFindings({ pending }: ReadStatus, now: Date): readonly JudgedFinding[] {
  const refused = pending.flatMap(({ since, evidence = {} }) => {
    const trouble = evidence.speaker === undefined ? undefined : troubleOf(evidence);
    return trouble === undefined ? [] : [{ since, trouble, status: evidence.httpStatus }];
  });
  return [...Map.groupBy(refused, ({ trouble }) => trouble)].flatMap(([{ is, next }, works]) => {
    const since = works.map((work) => work.since).toSorted()[0] ?? '';
    const ageMs = now.getTime() - Date.parse(since);
    if (works.length < mostRefused && ageMs < longestRefusedMs) return [];
    const statuses = [...new Set(works.map(({ status }) => status))].join(', ');
    const says = `${counted(works.length, 'item')} refused for ${roughly(ageMs)}: ${is}`;
    return [judged.problem(`${beforeGateway} (${statuses})`, says, { moments: [{ says: 'since', at: since }], next })];
  });
}
