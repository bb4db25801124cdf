import { expect } from 'vitest';
import * as z from 'zod';
import { outcomeEventDetails } from './outcome-events.ts';
import type { EventType } from '#shared/vocabulary/resource-names.ts';

/**
 * What is wrong with an event as it would reach a reader, in JSON; nothing if it is as
 * docs/reference/events.md says.
 */
export function undocumentedIn(type: EventType, detail: unknown): readonly string[] {
  const read = outcomeEventDetails[type].safeParse(JSON.parse(JSON.stringify(detail)));
  return read.success ? [] : [z.prettifyError(read.error)];
}

/**
 * For a bench's bus: the test fails over an event that docs/reference/events.md does not describe,
 * also if the worker takes the error for an outage.
 */
export function expectDocumented(type: EventType, detail: unknown): void {
  const undocumented = undocumentedIn(type, detail);
  // A page that is written has no test that could fail softly.
  if (undocumented.length > 0) expect.soft(undocumented, `${type} is not as its schema says`).toEqual([]);
}
