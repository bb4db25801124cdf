import { originKinds } from '../vocabulary/origin-kinds.ts';
import type { CampaignRunCommand } from './campaign-run-command.ts';

/** As the type says it, without what few commands have: other characters, fractions of an hour, the days that not every month has. */
const plainId = /^[\u0021-\u007e]{1,256}$/;
const plainUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const plainInstant = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

const longestRun = 128;
const longestOriginName = 1200;

/** `version`, `id`, `action`, `run` or `campaignRunId`, `issuedAt`, `origin`. */
const usualFields = 6;

const kinds: readonly unknown[] = originKinds;

/**
 * Whether this is surely a command as the type of `campaign-run-command.ts` reads it, in whose result nothing would differ from it: a start or a stop
 * with no more than every command has. Nearly all are, and looking takes a fraction of what the type takes (docs/performance.md). Whatever this
 * does not know, the type judges.
 */
export function isSurelyCommand(input: unknown): input is CampaignRunCommand {
  if (!isObject(input) || Object.keys(input).length !== usualFields) return false;
  const { version, id, action, run, campaignRunId, issuedAt, origin } = input;
  return (
    version === 1 &&
    isTextLike(id, plainId) &&
    (action === 'start' || action === 'stop') &&
    // Six fields: one of these two is absent.
    (isTextLike(campaignRunId, plainUuid) || isTextUpTo(longestRun, run)) &&
    isTextLike(issuedAt, plainInstant) &&
    isOrigin(origin)
  );
}

function isOrigin(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.keys(value).length === 2 &&
    kinds.includes(value['kind']) &&
    isTextUpTo(longestOriginName, value['name'])
  );
}

function isTextLike(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isTextUpTo(length: number, value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= length && value.isWellFormed();
}

/** Whether a value is an object of JSON: no list, no null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
