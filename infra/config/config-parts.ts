import { hash } from 'node:crypto';
import { projectWatchScheduleName } from '#shared/config/schema/names.ts';
import type { ConfigParts, ResolvedAutomation, WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { calendarsOf } from '#shared/schedule/calendars.ts';
import { mappingConcurrency } from './stage-numbers.ts';

/** The part of the document that each function's asset carries as `config.json`. */
export function configParts(automation: ResolvedAutomation): ConfigParts {
  const { stage, mode, timezone, gateway, runs, schedules, blackouts } = automation;
  const { packageWatches, projectWatches, datasetRules } = automation;
  const concurrency = mappingConcurrency(gateway);
  const rates = gateway.requestsPerSecond;
  const calendars = calendarsOf(blackouts);
  return {
    // One walk at a time, by its lease in the ledger: it has the whole rate of the reads.
    'poll-scanner-packages': { stage, mode, gateway, packageWatches, requestsPerSecond: rates.reads },
    'update-campaign-runs': {
      stage,
      mode,
      timezone,
      gateway,
      runs,
      schedules,
      blackouts,
      requestsPerSecond: rates.runs / concurrency.commands,
      readsPerSecond: rates.reads / concurrency.commands,
      runIdsLow: automation.notify.runIdsLow,
    },
    'register-datasets': {
      stage,
      mode,
      gateway,
      datasetRules,
      requestsPerSecond: rates.datasets / concurrency.uploads,
    },
    'park-dead-letters': { stage, mode, schedules },
    'reconcile-ledger': {
      stage,
      mode,
      datasetRules,
      blackouts,
      silentAlso: automation.notify.silentAlso,
      schedules: watchedSchedules(automation),
    },
    'watch-campaigns': {
      stage,
      mode,
      gateway,
      calendars: calendars.length === 0 ? undefined : calendars,
      haltOn: haltOn(automation),
      results: results(automation),
      pools: pools(automation),
      requestsPerSecond: rates.reads, // one tick a minute, and it ends before the next
    },
    'watch-projects': {
      stage,
      mode,
      gateway,
      projectWatches,
      // Watches with the same period tick together, each in an environment of its own.
      requestsPerSecond: rates.reads / Math.max(1, projectWatches.length),
      projectOfRun: Object.fromEntries(
        Object.values(runs).flatMap(({ name, project }) => (project === undefined ? [] : [[name, project]])),
      ),
    },
    'answer-questions': {
      stage,
      mode,
      timezone,
      gateway,
      runs,
      schedules,
      blackouts,
      packageWatches,
      projectWatches,
      datasetRules,
      notify: {
        ...automation.notify,
        webhooks: automation.notify.webhooks.map(({ name, kind }) => ({ name, kind })),
      },
      requestsPerSecond: rates.reads, // a person asks one question at a time, and waits for the answer
    },
  };
}

/**
 * The schedules whose silence is judged: those that start a run and that the configuration has not
 * disabled.
 */
function watchedSchedules({ schedules, runs, notify }: ResolvedAutomation): readonly WatchedSchedule[] {
  return schedules
    .filter(({ action, enabled }) => action === 'start' && enabled)
    .map(({ name, run, expression, timezone, startDate, silentAfter = notify.silentAfter }) => ({
      name,
      run,
      campaign: runs[run]?.campaign,
      expression,
      timezone,
      startDate,
      silentAfter,
    }));
}

/** By what the scores of runs are judged. Only a gateway whose runs can be read has any. */
function results(automation: ResolvedAutomation): ConfigParts['watch-campaigns']['results'] {
  const { gateway, runs, packageWatches, projectWatches, deployment: _deployment, ...rest } = automation;
  if (gateway.readsRuns !== true) return undefined;
  const all = JSON.stringify({ ...rest, gateway, runs, packageWatches, projectWatches });
  const ofRun = Object.values(runs).map(({ name, project, score }) => {
    const own = projectWatches.filter((watch) => project === undefined || watch.project === project);
    const watches = [
      ...packageWatches.map((watch) => watch.name),
      ...own.map((watch) => projectWatchScheduleName(watch.name)),
    ];
    return [name, { watches, score }] as const;
  });
  return { digest: hash('sha256', all).slice(0, 16), ofRun: Object.fromEntries(ofRun) };
}

/** The alarms that campaigns halt on. */
export function haltOn({ runs }: ResolvedAutomation): ConfigParts['watch-campaigns']['haltOn'] {
  const found = Object.values(runs).flatMap(({ campaign, guards }) =>
    guards.haltOn === undefined ? [] : [[campaign, guards.haltOn] as const],
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The runs that are made ahead. */
function pools({ runs }: ResolvedAutomation): ConfigParts['watch-campaigns']['pools'] {
  const found = Object.values(runs).flatMap(({ pool }) => pool ?? []);
  return found.length === 0 ? undefined : found;
}
