import type { Protection } from './protection.ts';
import { alarmProtections } from './protections-of-alarms.ts';
import { gatewayProtections } from './protections-of-gateway-calls.ts';
import { deployProtections } from './protections-of-deploying.ts';
import { projectProtections } from './protections-of-projects.ts';
import { guardProtections } from './protections-of-guards.ts';
import { runProtections } from './protections-of-runs.ts';
import { stageProtections } from './protections-of-the-stage.ts';
import { toldProtections } from './protections-of-what-is-told.ts';
import { tokenProtections } from './protections-of-the-token.ts';
import { uploadProtections } from './protections-of-uploads.ts';
import { watchProtections } from './protections-of-watches.ts';

/** Every protection that the campaign takes out once. */
export const protections: readonly Protection[] = [
  ...uploadProtections,
  ...gatewayProtections,
  ...runProtections,
  ...guardProtections,
  ...stageProtections,
  ...projectProtections,
  ...watchProtections,
  ...toldProtections,
  ...tokenProtections,
  ...alarmProtections,
  ...deployProtections,
];
