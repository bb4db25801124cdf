import { isUuid } from '../../gateway-client/operation.ts';
import { parseDuration } from '../../schedule/duration.ts';
import type { AutomationDocument } from '../automation.ts';
import { caBundleOddities, readCaBundle, type ReadText } from '../schema/ca-bundle.ts';
import { type ConfigProblem, problemAt, problemsIf } from '../schema/names.ts';
import { cronWarnings } from './cron-warnings.ts';

/** What is allowed and probably not meant, of the document as it is written; `now` is the time of the synthesis. */
export function configWarnings(
  document: AutomationDocument,
  { now, readText, isLocalStage }: { readonly now: Date; readonly readText?: ReadText; readonly isLocalStage: boolean },
): ConfigProblem[] {
  return [
    ...oddCertificates(document, now, readText),
    ...startWords(document),
    ...shortLead(document),
    ...oddRuns(document),
    ...mixedOverlaps(document),
    ...openPrefixes(document),
    ...noUuids(document),
    ...pastStartDates(document, now),
    ...cronWarnings(document),
    ...(isLocalStage ? [] : noReceivers(document)),
  ];
}

/** One machine rings nowhere. */
function noReceivers({ notify }: AutomationDocument): ConfigProblem[] {
  if ((notify?.emails ?? []).length + (notify?.webhooks ?? []).length > 0) return [];
  const message =
    'is empty, and so is notify.webhooks: alarms ring in CloudWatch alone, until a person subscribes to the topic of the stage.';
  return [problemAt(['notify', 'emails'], message)];
}

function oddCertificates({ gateway }: AutomationDocument, now: Date, readText?: ReadText): ConfigProblem[] {
  const bundle = gateway.caBundle === undefined ? undefined : readCaBundle(gateway.caBundle, readText);
  if (bundle === undefined || !bundle.ok) return [];
  return caBundleOddities(bundle.value, now).map((message) => problemAt(['gateway', 'caBundle'], message));
}

/** EventBridge Scheduler refuses a StartDate more than 5 minutes old. */
function pastStartDates({ schedules = [] }: AutomationDocument, now: Date): ConfigProblem[] {
  return schedules.flatMap(({ startDate, at }, index) => {
    if (startDate === undefined || Date.parse(startDate) > now.getTime()) return [];
    const remedy = at.startsWith('rate(') ? 'write the next one' : 'leave it out';
    const message = `${startDate} is over: AWS refuses it when this schedule is created or changed; ${remedy}.`;
    return [problemAt(['schedules', index, 'startDate'], message)];
  });
}

function oddRuns({ campaigns, gateway }: AutomationDocument): ConfigProblem[] {
  return Object.entries(campaigns).flatMap(([campaign, { runs }]) =>
    Object.entries(runs).flatMap(([run, { campaignRunIds = [], providerIds, score }]) => {
      const odd = (isOdd: boolean, key: string, message: string) =>
        problemsIf(isOdd, ['campaigns', campaign, 'runs', run, key], message);
      return [
        ...odd(
          campaignRunIds.length === 0 && providerIds === undefined,
          'campaignRunIds',
          `has no id: every start is parked until ids are bound (autopilot bind ${run} ID…).`,
        ),
        ...odd(
          score !== undefined && gateway.readsRuns !== true,
          'score',
          'has no effect: no score is read without gateway.readsRuns: true.',
        ),
        ...odd(
          providerIds !== undefined && gateway.makesRuns !== true,
          'providerIds',
          'makes no runs: gateway.makesRuns is not true. What was made before is cancelled.',
        ),
      ];
    }),
  );
}

/** Each start is judged by the `overlap` of its own campaign. */
function mixedOverlaps({ campaigns }: AutomationDocument): ConfigProblem[] {
  const targetOf = (name: string) => campaigns[name]?.target ?? name;
  const [allowing, strict] = [true, false].map((isAllowed) =>
    Object.keys(campaigns).filter((name) => (campaigns[name]?.overlap === 'allow') === isAllowed),
  );
  return (allowing ?? []).flatMap((name) => {
    const target = targetOf(name);
    const others = (strict ?? []).filter((other) => targetOf(other) === target);
    if (others.length === 0) return [];
    const message = `is "allow", so its starts go out beside the runs of ${others.join(', ')}, which share its target ("${target}") and want one run at a time.`;
    return [problemAt(['campaigns', name, 'overlap'], message)];
  });
}

function openPrefixes({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ prefix }, index) => {
    const message = `"${prefix}" ends without a slash, so "${prefix}-old/…" matches it too.`;
    return problemsIf(!prefix.endsWith('/'), ['datasets', index, 'prefix'], message);
  });
}

/** The gateway refuses a `fileId` that is no uuid, and of all that fills a template only a file's own name can be one. */
function noUuids({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ fileId }, index) => {
    if (fileId === undefined || isUuid(fileId)) return [];
    const makes = fileId === '{stem}' ? 'is a uuid only if the name of each file is one' : 'never makes a uuid';
    const message = `"${fileId}" ${makes}, and the gateway takes no other fileId: write send: 'file' in its place, which sends the file itself.`;
    return [problemAt(['datasets', index, 'fileId'], message)];
  });
}

/** A word for the start is for few gateways, and there a start without an answer is not sent again. Who has set the second knows the first. */
function startWords({ gateway }: AutomationDocument): ConfigProblem[] {
  const { status, startsRepeatSafely } = gateway;
  if (status?.start !== undefined && startsRepeatSafely === undefined) {
    const message = `is sent with each start: only a gateway that starts a run by a word wants that. If yours starts a run by its startAt, leave it out; else say in gateway.startsRepeatSafely whether a start may be sent twice.`;
    return [problemAt(['gateway', 'status', 'start'], message)];
  }
  if (status?.start !== undefined || startsRepeatSafely === undefined) return [];
  const message = 'is about a gateway with a word for gateway.status.start, and none is set: leave it out.';
  return [problemAt(['gateway', 'startsRepeatSafely'], message)];
}

/** A request takes this long, with a clock that is a little off. */
const leastLeadMs = 30_000;

function shortLead({ gateway: { startLead } }: AutomationDocument): ConfigProblem[] {
  const lead = startLead === undefined ? undefined : parseDuration(startLead);
  if (lead?.ok !== true || lead.value.milliseconds >= leastLeadMs) return [];
  const message =
    'is shorter than 30 seconds: a startAt is over before a slow request reaches the gateway, which refuses it.';
  return [problemAt(['gateway', 'startLead'], message)];
}
