/** Plain JSON, as templates, manifests and wire messages hold it, and readers that never cast. */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** Whether a JSON value is an object (arrays and null are not). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text that must hold a JSON object; `what` names the source in the error. */
export function parseJsonObject(text: string, what: string): JsonObject {
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) throw new Error(`${what} does not hold a JSON object`);
  return parsed;
}

/** The value as an object; an absent or other value reads as an empty one. */
export function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The value as a list; a single value reads as a list of one, an absent one as empty. */
export function asList(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * The text of a scalar (CloudFormation turns numbers and booleans into text where text is asked
 * for), or undefined.
 */
export function asText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** Every text in a value that is a text or a list of them. */
export function textsOf(value: Json | undefined): string[] {
  return asList(value).flatMap((item) => asText(item) ?? []);
}
