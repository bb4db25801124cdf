import { type StoredScannerPackage, usualPackage } from '../model/resources.ts';
import { seedIds } from './seed-ids.ts';
import { hourMs } from '#shared/schedule/duration.ts';

const { scannerPackages, scanners, projects, groups } = seedIds;

const vendorSubjects = [
  'Prompt injection', 'Indirect injection', 'Jailbreak', 'System prompt leak', 'Personal data', 'Payment cards',
  'Health data', 'Secrets and keys', 'Source code', 'Toxic language', 'Hate speech', 'Self-harm',
  'Violence', 'Financial advice', 'Legal advice', 'Medical advice', 'Competitors', 'Malicious links',
  'Encoded payloads', 'Off topic',
]; // prettier-ignore
const editions = ['English', 'German', 'French', 'Spanish', 'Japanese', 'multilingual', 'strict', 'fast'];
const directions = ['request', 'response', 'both'] as const;
const scanTypes = ['model', 'regex', 'keyword'] as const;
const projectIds = Object.values(projects);

/** The packages, made afresh each time: a gateway may change its own. */
export function seedScannerPackages(): StoredScannerPackage[] {
  return [...wellKnown(), ...vendorPackages(), ...housePackages()];
}

/** The four that examples and configurations name. */
function wellKnown(): StoredScannerPackage[] {
  const at = '2025-10-06T08:00:00.000Z';
  const vendor = { createdAt: at, tags: ['core'], types: ['model'] };
  return [
    scannerPackage(scannerPackages.pii, 'Personal data (PII)', {
      ...vendor,
      direction: 'both',
      scannerIds: [scanners.pii],
      tags: ['core', 'privacy'],
      availableUpdate: '2026-03',
    }),
    scannerPackage(scannerPackages.promptInjection, 'Prompt injection (core)', {
      ...vendor,
      scannerIds: [scanners.promptInjection],
      tags: ['core', 'security'],
    }),
    scannerPackage(scannerPackages.jailbreak, 'Jailbreak (core)', { ...vendor, scannerIds: [scanners.jailbreak] }),
    scannerPackage(scannerPackages.houseRules, 'House rules of the chat app', {
      ...house(projects.chatApp, groups.customerFacing),
      createdAt: '2025-12-02T08:00:00.000Z',
      scannerIds: [scanners.houseRules],
      types: ['keyword'],
    }),
  ];
}

function vendorPackages(): StoredScannerPackage[] {
  return vendorSubjects.flatMap((subject, row) =>
    [...editions, 'preview'].map((edition, column) => {
      const number = row * 9 + column;
      return scannerPackage(idOf(1, number), `${subject} (${edition})`, {
        availableUpdate: number % 4 === 0 ? '2026-03' : '',
        createdAt: dateOf(number),
        direction: pick(directions, number),
        published: edition !== 'preview',
        scannerIds: [idOf(3, number), idOf(4, number)].slice(0, 1 + (number % 2)),
        tags: [row < 4 ? 'security' : row < 9 ? 'privacy' : 'safety', edition],
        types: [pick(scanTypes, row)],
      });
    }),
  );
}

function housePackages(): StoredScannerPackage[] {
  return Array.from({ length: 104 }, (_, number) =>
    scannerPackage(idOf(2, number), `House package ${number + 1}`, {
      ...house(pick(projectIds, number), number % 2 === 0 ? groups.engineering : groups.customerFacing),
      createdAt: dateOf(number + 90),
      direction: pick(directions, number),
      packaged: number % 4 !== 3,
      published: number % 5 !== 4,
      scannerIds: [idOf(5, number)],
      shared: number % 7 === 0,
      types: [pick(scanTypes, number)],
    }),
  );
}

function house(projectId: string, groupId: string): Partial<StoredScannerPackage> {
  const availability = { global: false, projectIds: [[projectId]] };
  return { availability, groupId, projectId, source: { type: 'internal' }, tags: ['house'], vendored: false };
}

function scannerPackage(id: string, name: string, changes: Partial<StoredScannerPackage>): StoredScannerPackage {
  const source = { type: 'vendor' };
  const createdAt = '2025-10-06T08:00:00.000Z';
  const whole = { ...usualPackage, source, vendored: true, createdAt, id, name, ...changes };
  const scannerCounts = Object.fromEntries(whole.types.map((type) => [type, whole.scannerIds.length]));
  return { ...whole, scannerCounts, updatedAt: whole.createdAt };
}

/** A UUIDv7 in shape; `kind` keeps the ids of different things apart. */
function idOf(kind: number, number: number): string {
  return `019ba001-${String(kind).padStart(4, '0')}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Seven hours apart: no two packages of one family at the same instant, but families overlap. */
function dateOf(number: number): string {
  return new Date(Date.UTC(2025, 9, 6, 8) + number * 7 * hourMs).toISOString();
}

function pick<T>(words: readonly [T, ...T[]] | readonly T[], index: number): T {
  const word = words[index % words.length];
  if (word === undefined) throw new RangeError('nothing to pick from');
  return word;
}
