import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod';
import { type CampaignRunCommand, checkCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { parseDuration } from '#shared/schedule/duration.ts';

/** More commands than these are more than one plan: no person reads so many before the upload. */
const maxCommands = 100;

/**
 * Problems that are listed with their line. Finding a line is a walk through the plan. A plan of 256 KB
 * can have 40,000 problems, and a row keeps the first sentences only.
 */
const mostLines = 100;

/** What a plan is read against. */
export interface PlanContext {
  /** Key of the object: the origin of its commands. */
  readonly key: string;
  /**
   * When it was uploaded, or a person ordered its repeat: the instant of all its commands, which
   * their positions put in order.
   */
  readonly issuedAt: string;
  readonly now: Date;
  readonly runNames: readonly string[];
}

/** The commands of a plan without a fault, or every fault of it. */
export type CheckedPlan =
  | { readonly ok: true; readonly commands: readonly CampaignRunCommand[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A fault and the part of the plan that it is about. */
interface Problem {
  readonly path: PlanPath;
  readonly text: string;
}

const durationFields = ['validFor', 'startDelay', 'stopAfter'] as const;
const planFields = ['version', 'commands'];
const commandFields = ['action', 'run', 'campaignRunId', 'reason', ...durationFields];
const anObject = z.record(z.string(), z.unknown());

/**
 * Checks a whole plan: if one command is wrong, none is sent. Total.
 * @example checkPlan(bytes, context) // problems: ['commands[3].run, line 17: unknown run "smok": known are nightly, smoke']
 */
export function checkPlan(bytes: Uint8Array, context: PlanContext): CheckedPlan {
  const parsed = parsePlanDocument(bytes);
  if (!parsed.ok) return parsed;
  const { document } = parsed;
  const plan = anObject.safeParse(document.value);
  if (!plan.success) return { ok: false, problems: ['the plan is not an object {"version": 1, "commands": […]}'] };

  const problems = planProblems(plan.data);
  const commands: CampaignRunCommand[] = [];
  const listed = Array.isArray(plan.data['commands']) ? plan.data['commands'] : [];
  for (const [position, input] of listed.slice(0, maxCommands).entries()) {
    const checked = checkOne(input, commandIds.plan(bytes, position), context);
    if (checked.ok) commands.push(checked.command);
    else problems.push(...checked.problems.map(({ path, text }) => ({ path: ['commands', position, ...path], text })));
  }
  if (problems.length > 0)
    return { ok: false, problems: problems.map((problem, index) => sentenceOf(document, problem, index)) };
  return { ok: true, commands };
}

function planProblems(plan: Readonly<Record<string, unknown>>): Problem[] {
  const { version, commands } = plan;
  const problems = unknownFields(plan, planFields);
  if (version !== 1) problems.push({ path: ['version'], text: 'must be 1' });
  if (!Array.isArray(commands)) problems.push({ path: ['commands'], text: 'must be a list of commands' });
  else if (commands.length === 0) problems.push({ path: ['commands'], text: 'holds no command' });
  else if (commands.length > maxCommands) {
    problems.push({
      path: ['commands', maxCommands],
      text: `is one command too many: a plan has at most ${maxCommands}`,
    });
  }
  return problems;
}

function checkOne(
  input: unknown,
  id: string,
  context: PlanContext,
): { ok: true; command: CampaignRunCommand } | { ok: false; problems: readonly Problem[] } {
  const fields = anObject.safeParse(input);
  if (!fields.success) return { ok: false, problems: [{ path: [], text: 'is not an object' }] };
  const problems = [...unknownFields(fields.data, commandFields), ...runProblems(fields.data, context)];

  const known = Object.fromEntries(commandFields.map((field) => [field, fields.data[field]]));
  for (const field of durationFields) {
    const value = known[field];
    if (typeof value !== 'string') continue;
    const duration = parseDuration(value);
    if (!duration.ok) problems.push({ path: [field], text: duration.problem });
    known[field] = duration.ok ? duration.value.iso : undefined;
  }
  const checked = checkCampaignRunCommand(
    { ...known, version: 1, id, issuedAt: context.issuedAt, origin: { kind: 'plan', name: context.key } },
    context.now,
  );
  if (!checked.ok) problems.push(...checked.problems.map(problemOf));
  return checked.ok && problems.length === 0 ? { ok: true, command: checked.command } : { ok: false, problems };
}

/** What only the configuration knows of a run. */
function runProblems({ run }: Readonly<Record<string, unknown>>, { runNames }: PlanContext): Problem[] {
  if (typeof run !== 'string' || runNames.includes(run)) return [];
  const known = runNames.toSorted().join(', ') || 'none';
  return [{ path: ['run'], text: `unknown run ${JSON.stringify(run.slice(0, 128))}: known are ${known}` }];
}

function unknownFields(object: Readonly<Record<string, unknown>>, known: readonly string[]): Problem[] {
  return Object.keys(object)
    .filter((field) => !known.includes(field))
    .map((field) => ({ path: [field.slice(0, 64)], text: `is not known here: known are ${known.join(', ')}` }));
}

/** The check of commands says `field: sentence`, and `command: sentence` of the whole. */
function problemOf(problem: string): Problem {
  const end = problem.indexOf(': ');
  const field = problem.slice(0, end);
  return { path: field === 'command' ? [] : field.split('.'), text: problem.slice(end + 2) };
}

function sentenceOf(document: PlanDocument, { path, text }: Problem, index: number): string {
  const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  const line = index < mostLines ? `, line ${document.lineOf(path)}` : '';
  return `${where.replace(/^\./, '')}${line}: ${text}`;
}

/** Where in a plan: `['commands', 3, 'run']`. */
export type PlanPath = readonly (string | number)[];

/** A plan as JSON, and the position of each of its parts in the file. */
export interface PlanDocument {
  readonly value: unknown;
  /** The line of a part, from 1; if the part is missing, the line of the nearest part around it. */
  readonly lineOf: (path: PlanPath) => number;
}

/** A plan that is JSON, or what keeps it from being that. */
export type ParsedPlanDocument =
  | { readonly ok: true; readonly document: PlanDocument }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the bytes of a plan as strict JSON: no comments, no trailing commas, no key twice in one
 *   object. Total.
 */
export function parsePlanDocument(bytes: Uint8Array): ParsedPlanDocument {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, problems: ['the plan is not UTF-8 text'] };
  }

  if (text.trim() === '') return { ok: false, problems: ['the plan is empty'] };

  const errors: ParseError[] = [];
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch {
    // The parser calls itself for each level and runs out of stack.
    return { ok: false, problems: ['the plan is nested too deeply'] };
  }
  if (tree === undefined || errors.length > 0) return { ok: false, problems: syntaxProblems(errors, lineAt) };
  const problems = keysTwice(tree, lineAt);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, document: { value: JSON.parse(text), lineOf: lineFinder(tree, lineAt) } };
}

type LineAt = (offset: number) => number;

function syntaxProblems(errors: readonly ParseError[], lineAt: LineAt): readonly string[] {
  // What follows a first error is mostly its echo.
  return errors.slice(0, 1).map(({ error, offset }) => {
    const words = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
    return `line ${lineAt(offset)}: is not JSON (${words.toLowerCase()})`;
  });
}

/**
 * JSON readers take the last of two equal keys, people may have meant the first. It does not call
 * itself, since a plan may be nested deeper than the stack is.
 */
function keysTwice(tree: Node, lineAt: LineAt): readonly string[] {
  const twice: Node[] = [];
  const open = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const seen = new Set<unknown>();
    for (const child of node.children ?? []) {
      open.push(child);
      const [key] = child.type === 'property' ? (child.children ?? []) : [];
      if (key === undefined) continue;
      if (seen.has(key.value)) twice.push(key);
      seen.add(key.value);
    }
  }
  const inOrder = twice.toSorted((a, b) => a.offset - b.offset);
  return inOrder.map(({ value, offset }, index) => {
    const line = index < mostLines ? `line ${lineAt(offset)}: ` : '';
    return `${line}the key "${value}" is there twice`;
  });
}

function lineFinder(tree: Node, lineAt: LineAt): PlanDocument['lineOf'] {
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = findNodeAtLocation(tree, path.slice(0, length));
      if (node !== undefined) return lineAt(node.offset);
    }
    return lineAt(tree.offset);
  };
}
