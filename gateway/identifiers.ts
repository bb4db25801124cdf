/** New ids: UUIDv7, so that ids sort by creation, as gateways in the field do it. */
import { randomBytes } from 'node:crypto';

/** A UUIDv7 for that instant. */
export function newId(now: Date): string {
  const time = Math.max(0, now.getTime()).toString(16).padStart(12, '0').slice(-12);
  const random = randomBytes(10);
  const versioned = ((random.readUInt16BE(0) & 0x0fff) | 0x7000).toString(16);
  const variant = ((random.readUInt16BE(2) & 0x3fff) | 0x8000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${random.toString('hex', 4)}`;
}
