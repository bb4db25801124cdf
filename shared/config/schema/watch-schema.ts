/** What is watched at the gateway: listings of scanner packages, and configurations of projects. */
import * as z from 'zod';
import { listingFilters } from '../../gateway-client/scanner-packages.ts';
import { durationMs, parsed, parseDuration } from '../../schedule/duration.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import { watchNamePattern, watchNameRule } from './names.ts';
import { section } from './section.ts';
import { filled, isoOf, listOf, nameOf, period, readBy, walkParameters } from './value-schemas.ts';

const filterName = z.string().superRefine((name, context) => {
  const own: readonly string[] = walkParameters;
  if (own.includes(name)) {
    context.addIssue({ code: 'custom', message: `${name} belongs to the walk over all pages and cannot be a filter.` });
  } else if (!(listingFilters as readonly string[]).includes(name)) {
    const message = `"${name}" is no filter of the listing${didYouMean(name, listingFilters)} (known: ${listingFilters.join(', ')})`;
    context.addIssue({ code: 'custom', message });
  }
});

/** A rule on packages that changed. */
export const packageChangeRule = section({
  /** What must be so of a change. An empty one matches every change. */
  match: section({
    /** Name of the package. @default any */
    name: filled.optional(),
    /** Id of the package. @default any */
    id: filled.optional(),
    /** Direction of the package. @default any */
    direction: filled.optional(),
    /** Source of the package. @default any */
    source: filled.optional(),
    /** A field that changed, such as `scannerIds`; `availableUpdate`: an update waits now. @default any */
    field: filled.optional(),
    /** What happened to the package. @default any kind */
    kind: z.enum(['added', 'changed', 'removed']).optional(),
  }),
  /** The run to start. */
  start: filled,
});

/**
 * The period as a Scheduler expression: `rate(15 minutes)`, `rate(1 hour)`. In the largest unit that divides it, singular where AWS
 * wants it.
 */
function rateExpression(every: string): string {
  const minutes = (durationMs(every) ?? 0) / 60_000;
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `rate(${count} ${unit}${count === 1 ? '' : 's'})`;
}

/** A watched listing. */
export const packageWatch = section({
  /** Names the watch and its schedule. */
  name: nameOf(watchNamePattern, watchNameRule),
  /** Period of the walk. */
  every: period,
  /** Filters of the listing, as the interface names them. */
  filters: z.record(filterName, z.union([z.string(), z.number(), z.boolean(), listOf(z.string())])).default({}),
  /** What to start on which change. @default report only */
  onChange: listOf(packageChangeRule).default([]),
  /** Starts wait until nothing has changed for this long, so that changes that land together start a run once; 'none': at once. */
  settle: readBy((text) => (text === 'none' ? parsed(undefined) : isoOf(parseDuration(text))), '10 minutes')
    .optional()
    .prefault('10 minutes'),
}).transform((watch) => ({ ...watch, expression: rateExpression(watch.every) }));

/** A rule on what changed in a project. */
export const projectChangeRule = section({
  /** What must be so of a change. An empty one matches every change. */
  match: section({
    /** The changed field; `*`: anything. `scanners.*.version`, `packages.*`. @default anywhere */
    field: filled.optional(),
    /** What happened there. @default any kind */
    kind: z.enum(['added', 'changed', 'removed']).optional(),
  }),
  /** The run to start. */
  start: filled,
});

export const projectWatch = section({
  /** Id or name of the project at the gateway. */
  project: filled,
  /** Names its schedule. @default the project, if that can be a name */
  name: nameOf(watchNamePattern, watchNameRule).optional(),
  /** Period of the look. */
  every: period,
  /** What to start on which change. @default report only */
  onChange: listOf(projectChangeRule).default([]),
  /** Read the deprecated endpoints of this group or chatbot once a day, and report those that are still in use. @default not read */
  endpoints: section({
    /** Id of the group. @default any */
    groupId: filled.optional(),
    /** Id of the chatbot. @default any */
    chatbotId: filled.optional(),
  }).optional(),
}).transform(({ every, ...watch }) => ({
  ...watch,
  name: watch.name ?? watch.project,
  expression: rateExpression(every),
}));
