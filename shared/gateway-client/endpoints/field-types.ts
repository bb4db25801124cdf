import * as z from 'zod';

/**
 * The types of fields. Real gateways differ from the types that the interface shows. So an answer is refused only for
 * a field that a decision of a worker reads as a text, a list or an object: one odd field elsewhere must not hide a whole project or page.
 */

/** An id that the work stands on. */
export const requiredText = z.string().min(1);
/** A text that a decision compares; gateways leave fields out or send null. */
export const text = z.string().nullish();
/** Kept as it came, whatever it is: no decision reads it, or what reads it judges any value by itself, such as a fingerprint or a count. */
export const open = z.unknown().optional();
