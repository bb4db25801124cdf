/**
 * Uploads of one batch that register-datasets has under way together: each waits for the ledger, the bucket and the gateway most of its time.
 * With more of them a process that dies takes more along, and they gain nothing: docs/adr/0020-four-uploads-at-once.md.
 */
export const uploadsAtOnce = 4;
