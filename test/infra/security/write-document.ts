import { writeFile } from 'node:fs/promises';
import { freshSecurityDocument, securityPath } from './security-document.ts';

/** `npm run docs:security`: writes the tables of docs/security.md again. Read the difference: it is what a person may do since. */
await writeFile(securityPath, await freshSecurityDocument());
