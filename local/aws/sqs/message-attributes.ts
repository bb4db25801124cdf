/** Message attributes: the digest that clients check, and the selection that a receiver asks for. */
import { createHash } from 'node:crypto';
import { asObject, asText } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';

/** MD5 of a text in hex. */
export function md5(text: string | Buffer): string {
  return createHash('md5').update(text).digest('hex');
}

/** The digest of message attributes as SQS defines it: sorted by name, each part with its length before it. */
export function md5OfAttributes(attributes: JsonObject): string | undefined {
  const names = Object.keys(attributes).toSorted();
  if (names.length === 0) return undefined;
  const parts = names.flatMap((name) => {
    const attribute = asObject(attributes[name]);
    const binary = asText(attribute['BinaryValue']);
    const value =
      binary === undefined ? Buffer.from(asText(attribute['StringValue']) ?? '') : Buffer.from(binary, 'base64');
    const kind = Buffer.from([binary === undefined ? 1 : 2]);
    return [sized(Buffer.from(name)), sized(Buffer.from(asText(attribute['DataType']) ?? '')), kind, sized(value)];
  });
  return md5(Buffer.concat(parts));
}

function sized(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}

/** The attributes that the receiver named: by name, by `prefix.*`, or `All`. */
export function selectAttributes(attributes: JsonObject, names: readonly string[]): JsonObject {
  const wanted = (name: string): boolean =>
    names.some(
      (asked) =>
        asked === 'All' ||
        asked === '.*' ||
        asked === name ||
        (asked.endsWith('.*') && name.startsWith(asked.slice(0, -1))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => wanted(name)));
}
