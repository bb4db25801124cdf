import { writeFile } from 'node:fs/promises';
import { eventsPath, freshEventsDocument } from './events-document.ts';

/** `npm run docs:events`: writes the tables of docs/reference/events.md again. Read the difference: readers stand on these fields. */
await writeFile(eventsPath, await freshEventsDocument());
