import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** Where in a plan: `['commands', 3, 'run']`. */
export type PlanPath = readonly (string | number)[];

/** A plan as JSON, and where each part of it stands in the file. */
export interface PlanDocument {
  readonly value: unknown;
  /** The line of a part, from 1; of the nearest part around it where it is not there. */
  readonly lineOf: (path: PlanPath) => number;
}

/** A plan that is JSON, or what keeps it from being that. */
export type ParsedPlanDocument =
  | { readonly ok: true; readonly document: PlanDocument }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the bytes of a plan as strict JSON: no comments, no trailing commas, no key twice in one object. Total. */
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

/** JSON readers take the last of two equal keys, people may have meant the first. */
function keysTwice(node: Node, lineAt: LineAt): string[] {
  const problems: string[] = [];
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    problems.push(...keysTwice(child, lineAt));
    const [key] = child.type === 'property' ? (child.children ?? []) : [];
    if (key === undefined) continue;
    if (seen.has(key.value)) problems.push(`line ${lineAt(key.offset)}: the key "${key.value}" is there twice`);
    seen.add(key.value);
  }
  return problems;
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
