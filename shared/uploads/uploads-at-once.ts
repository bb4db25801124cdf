/**
 * Uploads of one batch that register-datasets has under way together: each waits for the ledger, the bucket and the gateway most of its time.
 * Five
 * take a batch of ten in two turns; with more of them a process that dies takes more along: docs/adr/0024-one-read-of-a-file.md.
 */
export const uploadsAtOnce = 5;
