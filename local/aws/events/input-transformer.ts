/** EventBridge's input transformers: what a target gets in place of the event. What is not known here is listed when the rule is read. */
import { asObject, asText, isJsonObject } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';

/** Makes what the target gets of an event. */
export type InputTransformer = (event: JsonObject) => string;

/** What of a transformer nobody does here: variables that EventBridge defines itself, paths that are more than keys and dots. */
export function unsupportedOfTransformer(transformer: Json | undefined): string[] {
  const { paths, template } = partsOf(transformer);
  return [
    ...Object.values(paths).filter((path) => !/^\$(?:\.[\w-]+)+$/.test(path)),
    ...[...template.matchAll(/<(aws\.[\w.-]+)>/g)].map(([, name = '']) => name),
  ];
}

/**
 * Reads a transformer. A value inside a JSON text is put there as it is, anywhere else as JSON; one that the event does not have leaves its place
 * empty. EventBridge does not escape what it puts in ("Amazon EventBridge input transformation", EventBridge User Guide), so a quote in a value
 * ends the text around it.
 */
export function compileInputTransformer(transformer: Json | undefined): InputTransformer {
  const { paths, template } = partsOf(transformer);
  // JSON texts and what is between them, in turn.
  const pieces = template.split(/("(?:[^"\\]|\\.)*")/);
  return (event) =>
    pieces
      .map((piece) =>
        piece.replaceAll(/<([\w-]+)>/g, (whole, name: string) => {
          const path = paths[name];
          if (path === undefined) return whole;
          const value = valueAt(event, path);
          if (value === undefined) return '';
          if (!piece.startsWith('"')) return JSON.stringify(value);
          return typeof value === 'string' ? value : JSON.stringify(value);
        }),
      )
      .join('');
}

function partsOf(transformer: Json | undefined): {
  readonly paths: Readonly<Record<string, string>>;
  readonly template: string;
} {
  const { InputPathsMap, InputTemplate } = asObject(transformer);
  const paths = Object.entries(asObject(InputPathsMap)).map(([name, path]) => [name, asText(path) ?? ''] as const);
  return { paths: Object.fromEntries(paths), template: asText(InputTemplate) ?? '' };
}

function valueAt(event: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = event;
  for (const key of path.split('.').slice(1)) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
