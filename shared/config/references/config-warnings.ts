import { isUuid } from '../../gateway-client/endpoints/schema.ts';
import { classifyFailure } from '../../gateway-client/failures/classify-failure.ts';
import { durationMs } from '../../schedule/duration.ts';
import type { AutomationDocument } from '../automation.ts';
import { caBundleOddities, readCaBundle, type ReadText } from '../check-base-url.ts';
import { type ConfigProblem, formatPath } from '../names.ts';
import type { ResolvedAutomation } from '../resolve/resolved-automation.ts';

/** What is allowed and probably not meant; `now` is the time of the synthesis. */
export function configWarnings(
  document: AutomationDocument,
  { now, readText, isLocalStage }: { readonly now: Date; readonly readText?: ReadText; readonly isLocalStage: boolean },
): ConfigProblem[] {
  return [
    ...oddCertificates(document, now, readText),
    ...idleStatuses(document),
    ...emptyBindings(document),
    ...mixedOverlaps(document),
    ...openPrefixes(document),
    ...noUuids(document),
    ...pastStartDates(document, now),
    ...(isLocalStage ? [] : noReceivers(document)),
  ];
}

/** One machine rings nowhere. */
function noReceivers({ notify }: AutomationDocument): ConfigProblem[] {
  if ((notify?.emails ?? []).length + (notify?.webhooks ?? []).length > 0) return [];
  const message =
    'is empty, and so is notify.webhooks: alarms ring in CloudWatch alone, until a person subscribes to the topic of the stage.';
  return [{ path: formatPath(['notify', 'emails']), message }];
}

function oddCertificates({ gateway }: AutomationDocument, now: Date, readText?: ReadText): ConfigProblem[] {
  const bundle = gateway.caBundle === undefined ? undefined : readCaBundle(gateway.caBundle, readText);
  if (bundle === undefined || !bundle.ok) return [];
  return caBundleOddities(bundle.value, now).map((message) => ({ path: formatPath(['gateway', 'caBundle']), message }));
}

/**
 * EventBridge Scheduler refuses a StartDate more than 5 minutes old whenever the schedule is
 * created or changed.
 */
function pastStartDates({ schedules = [] }: AutomationDocument, now: Date): ConfigProblem[] {
  return schedules.flatMap(({ startDate, at }, index) => {
    if (startDate === undefined || Date.parse(startDate) > now.getTime()) return [];
    const remedy = at.startsWith('rate(') ? 'write the next one' : 'leave it out';
    return [
      {
        path: formatPath(['schedules', index, 'startDate']),
        message: `${startDate} is over: AWS refuses it when this schedule is created or changed; ${remedy}.`,
      },
    ];
  });
}

/**
 * The retry table knows by itself what most statuses prove; a configuration that names one of those
 * expects something else of it.
 */
function idleStatuses({ gateway }: AutomationDocument): ConfigProblem[] {
  return (gateway.postMayRepeatOn ?? []).flatMap((status, index) => {
    const verdictWith = (postMayRepeatOn: readonly number[]) =>
      JSON.stringify(classifyFailure('post', { kind: 'status', status }, { postMayRepeatOn }));
    if (verdictWith([status]) !== verdictWith([])) return [];
    return [
      {
        path: formatPath(['gateway', 'postMayRepeatOn', index]),
        message: `${status} says by itself whether the dataset was made, so naming it here changes nothing; leave it out.`,
      },
    ];
  });
}

function emptyBindings({ campaigns }: AutomationDocument): ConfigProblem[] {
  return Object.entries(campaigns).flatMap(([campaign, { runs }]) =>
    Object.entries(runs)
      .filter(([, { campaignRunIds }]) => campaignRunIds?.length === 0)
      .map(([run]) => ({
        path: formatPath(['campaigns', campaign, 'runs', run, 'campaignRunIds']),
        message: `is empty: every start is parked until ids are bound (autopilot bind ${run} ID…).`,
      })),
  );
}

/**
 * Each start is judged by the `overlap` of its own campaign: one that allows it starts beside the
 * runs of those that do not.
 */
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
    return [{ path: formatPath(['campaigns', name, 'overlap']), message }];
  });
}

function openPrefixes({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ prefix }, index) =>
    prefix.endsWith('/')
      ? []
      : [
          {
            path: formatPath(['datasets', index, 'prefix']),
            message: `"${prefix}" ends without a slash, so "${prefix}-old/…" matches it too.`,
          },
        ],
  );
}

/** The gateway refuses a `fileId` that is no uuid, and of all that fills a template only a file's own name can be one. */
function noUuids({ datasets = [] }: AutomationDocument): ConfigProblem[] {
  return datasets.flatMap(({ fileId }, index) => {
    if (fileId === undefined || isUuid(fileId)) return [];
    const makes = fileId === '{stem}' ? 'is a uuid only if the name of each file is one' : 'never makes a uuid';
    const message = `"${fileId}" ${makes}, and the gateway takes no other fileId: write send: 'file' in its place, which sends the file itself.`;
    return [{ path: formatPath(['datasets', index, 'fileId']), message }];
  });
}

/** The time that reading a start back and sending it again takes, with clocks that differ. */
const readBackMs = 15 * 60_000;

/** Settings whose absence makes a person necessary if the answer of a start or a stop is lost. */
export function doubtWarnings(document: AutomationDocument, automation: ResolvedAutomation): ConfigProblem[] {
  return [...withoutTexts(document), ...withoutConfirm(document), ...shortValidity(automation)];
}

/** An empty list says that this gateway has no such text. */
function withoutTexts({ gateway }: AutomationDocument): ConfigProblem[] {
  if (gateway.alreadyInState !== undefined) return [];
  const message =
    'is not set, so a run that already is as a repeated command wants it is parked CONFLICT: write the texts of such a 409 or 422, or [] if this gateway has none.';
  return [{ path: formatPath(['gateway', 'alreadyInState']), message }];
}

/** A gateway that ignores a repeated start needs no reading back. */
function withoutConfirm({ gateway, campaigns }: AutomationDocument): ConfigProblem[] {
  if (gateway.startsRepeatSafely === true) return [];
  return Object.entries(campaigns).flatMap(([name, { campaignId, confirm, runs }]) => {
    if (confirm !== undefined || Object.keys(runs).length === 0) return [];
    const remedy = campaignId === undefined ? 'set campaignId and confirm' : 'set it';
    const message = `is not set, so a start whose answer is lost is parked for a person: ${remedy} to the field ("runCount" or "lastRunAt") that this gateway changes at a start.`;
    return [{ path: formatPath(['campaigns', name, 'confirm']), message }];
  });
}

function shortValidity({ schedules }: ResolvedAutomation): ConfigProblem[] {
  return schedules.flatMap(({ action, enabled, validFor, startDelay = 'PT0S' }, index) => {
    const needsMs = (durationMs(startDelay) ?? 0) + readBackMs;
    if (action !== 'start' || !enabled || (durationMs(validFor ?? '') ?? needsMs) >= needsMs) return [];
    const message = `${validFor} is too short to read a start back whose answer is lost, so it is parked for a person: write at least ${needsMs / 60_000} minutes (startDelay and 15 minutes).`;
    return [{ path: formatPath(['schedules', index, 'validFor']), message }];
  });
}
