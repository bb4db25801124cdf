import * as z from 'zod';

/**
 * The types of fields. The interface promises names and types, field-notes.md shows where real gateways differ. So only what our own work
 * stands on is required; whatever else comes is kept as it came.
 */

/** An id that the work stands on. */
export const requiredText = z.string().min(1);
/** A string field; gateways leave fields out or send null. */
export const text = z.string().nullish();
/** Typed string in the interface, seen as boolean or number: `enabled`, `blocking`, `providerCount`. */
export const scalar = z.union([z.string(), z.boolean(), z.number()]).nullish();
/** An integer, which some gateways send as a string of digits. */
export const count = z.union([z.number(), z.string()]).nullish();
/** A boolean. */
export const flag = z.union([z.boolean(), z.string()]).nullish();
/** Typed string in the interface, nothing depends on it, and it may well be an object: read as whatever it is. */
export const open = z.unknown().optional();
