import { writeFile } from 'node:fs/promises';
import { configurationPath, freshConfigurationDocument } from './configuration-document.ts';

await writeFile(configurationPath, await freshConfigurationDocument());
