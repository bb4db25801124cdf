import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { profileNames } from '#gateway/model/profile.ts';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { complaints, runningGateway } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const { projects, endpoints, scannerPackages: known } = seedIds;
const unknown = '019ba000-0000-7000-8000-000000000fff';

/** Packages of these tests are called pk-a to pk-f, and have uuids at the gateway. */
const idPrefix = '019ba000-0000-7000-8000-000000000fb';
const withIds = (text: string) => text.replaceAll('pk-', idPrefix);
const withNames = (id: string) => id.replace(idPrefix, 'pk-');

describe.each(profileNames)('profile %s', (profile) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await runningGateway({ profile });
    const put = (name: string, fields: unknown) =>
      gateway.send('PUT', `/_control/scanner-packages/${withIds(name)}`, fields);
    const mark = { tags: ['under-test'], groupId: 'g1', scannerIds: ['s1'] };
    await put('pk-a', { ...mark, name: 'Alpha', direction: 'request', source: { type: 'vendor' }, types: ['model'] });
    await put('pk-b', { ...mark, name: 'beta', direction: 'response', types: ['regex'], published: false });
    await put('pk-c', { ...mark, name: 'Gamma', direction: 'both', types: ['model', 'regex'], packaged: false });
    await put('pk-d', {
      name: 'delta',
      tags: ['under-test', 'second'],
      groupId: 'g2',
      availability: { global: false, projectIds: [['elsewhere'], [projects.codeHelper]] },
    });
  });
  afterAll(() => gateway.close());

  async function ids(query: string): Promise<string[]> {
    const answer = await gateway.get(
      `/backend/v1/scanner-packages?limit=100&sortBy=name&ascending=true&${withIds(query)}`,
    );
    expect(answer.status).toBe(200);
    return answer.body.packages?.map((one) => withNames(one.id)) ?? [];
  }

  test.each([
    ['tags=under-test', ['pk-a', 'pk-b', 'pk-d', 'pk-c']],
    ['tags=under-test,second', ['pk-d']],
    ['tags=under-test&tags=second', ['pk-d']],
    ['tags=under-test&search=ET', ['pk-b']],
    ['search=second', ['pk-d']],
    ['tags=under-test&direction=request', ['pk-a', 'pk-d', 'pk-c']],
    ['tags=under-test&direction=response', ['pk-b', 'pk-c']],
    ['tags=under-test&direction=both', ['pk-c']],
    ['tags=under-test&source=vendor', ['pk-a']],
    ['tags=under-test&source=vendor,internal', ['pk-a', 'pk-b', 'pk-d', 'pk-c']],
    ['tags=under-test&type=regex', ['pk-b', 'pk-c']],
    ['tags=under-test&published=false', ['pk-b']],
    ['tags=under-test&packaged=FALSE', ['pk-c']],
    ['groupId=g1', ['pk-a', 'pk-b', 'pk-c']],
    ['packageId=pk-a&packageId=pk-c&packageId=pk-e', ['pk-a', 'pk-c']],
    ['packageId=pk-a,pk-d', ['pk-a', 'pk-d']],
    ['packageId=pk-a,pk-d&accessibleToProjectId=' + projects.codeHelper, ['pk-a', 'pk-d']],
    ['packageId=pk-a,pk-d&accessibleToProjectId=' + projects.chatApp, ['pk-a']],
    ['packageId=pk-a,pk-d&availableToProjectId=' + projects.chatApp, ['pk-a']],
    [`packageId=pk-a&accessibleToProjectId=${unknown}`, []],
    ['packageId=pk-a&search=', ['pk-a']],
  ])('%s gives %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  const added = [known.houseRules, known.jailbreak, known.pii, known.promptInjection];

  test.each([
    [`addedToProjectId=${projects.chatApp}`, added],
    [`addedToProjectId=${projects.chatApp}&active=true`, [known.houseRules, known.pii, known.promptInjection]],
    [`addedToProjectId=${projects.chatApp}&active=false`, [known.jailbreak]],
    [`addedToProjectId=${projects.chatApp}&mode=audit`, [known.jailbreak]],
    [`addedToProjectId=${projects.chatApp}&mode=audit,block`, added],
    [`addedToProjectId=${unknown}`, []],
    [`enabledForProject=${projects.codeHelper}`, [known.promptInjection]],
    ['enabledForProject=code-helper', [known.promptInjection]],
    [`endpoint=${endpoints.chatWeb}`, [known.pii, known.promptInjection]],
    [`endpoint=${endpoints.chatMobile}`, []],
    [`packageId=${known.jailbreak}&active=true`, [known.jailbreak]],
    [`packageId=${known.jailbreak}&mode=block`, [known.jailbreak]],
  ])('%s follows the configuration', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('answers ten packages, the newest first, unless asked otherwise', async () => {
    const { body } = await gateway.get('/backend/v1/scanner-packages');

    expect(body.packages).toHaveLength(10);
    expect(body.packages?.slice(0, 4).map((one) => withNames(one.id))).toEqual(['pk-d', 'pk-c', 'pk-b', 'pk-a']);
    expect(body.prev).toBeNull();
  });

  test('moves a changed package to the front of what was updated last', async () => {
    await gateway.send('PUT', `/_control/scanner-packages/${known.pii}`, { availableUpdate: '2026-04' });

    const { body } = await gateway.get('/backend/v1/scanner-packages?sortBy=updated_at&limit=1');

    expect(body.packages?.[0]).toMatchObject({ id: known.pii, availableUpdate: '2026-04' });
  });

  test.each([
    ['limit=0', ['query.limit']],
    ['limit=101', ['query.limit']],
    ['limit=abc', ['query.limit']],
    ['limit=', ['query.limit']],
    ['limit=1.5', ['query.limit']],
    ['limit=1&limit=2', ['query.limit']],
    ['ascending=maybe', ['query.ascending']],
    ['sortBy=size', ['query.sortBy']],
    ['cursor=', ['query.cursor']],
    ['cursor=not-a-cursor', ['query.cursor']],
    [`cursor=${Buffer.from('{"offset":-1,"limit":10}').toString('base64url')}`, ['query.cursor']],
    [`limit=5&cursor=${Buffer.from('{"offset":10,"limit":10}').toString('base64url')}`, ['query.limit']],
    [
      'published=perhaps&packaged=2&active=x&limit=0',
      ['query.limit', 'query.published', 'query.packaged', 'query.active'],
    ],
  ])('%s is refused, naming %j', async (query, places) => {
    const answer = await gateway.get(`/backend/v1/scanner-packages?${query}`);

    expect(answer.status).toBe(422);
    expect(complaints(answer).toSorted()).toEqual([...places].toSorted());
  });

  test('a deleted package is gone, and gone twice is 404', async () => {
    const shortLived = `/_control/scanner-packages/${withIds('pk-f')}`;
    await gateway.send('PUT', shortLived, {});

    expect((await gateway.send('DELETE', shortLived)).status).toBe(200);
    expect(await ids('packageId=pk-f')).toEqual([]);
    expect((await gateway.send('DELETE', shortLived)).status).toBe(404);
  });
});
