import { writeFile } from 'node:fs/promises';
import { architecturePath, freshArchitectureDocument } from './architecture-document.ts';

/** `npm run docs:architecture`: draws the picture of docs/architecture.md again. Read the difference: it is what is connected since. */
await writeFile(architecturePath, await freshArchitectureDocument());
