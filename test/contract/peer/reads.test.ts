import { expect, test } from 'vitest';
import { peerIds } from '../../peer/seed.ts';
import { minute, openPeer } from './open-peer.ts';

const { packages: known, projects, groups, chatbots, endpoints } = peerIds;
const all = [known.privacy, known.injection, known.house];

test.each([
  ['', [known.house, known.injection, known.privacy]],
  ['ascending=true', all],
  ['sortBy=name&ascending=true', [known.house, known.injection, known.privacy]],
  ['sortBy=updated_at&ascending=true', all],
  ['search=hOuSe', [known.house]],
  ['published=false', [known.house]],
  ['packaged=true&ascending=true', [known.privacy, known.injection]],
  ['direction=request&ascending=true', [known.privacy, known.injection]],
  ['source=internal', [known.house]],
  ['source=internal&source=vendor&ascending=true', all],
  ['type=model&type=keyword&ascending=true', [known.injection, known.house]],
  ['tags=usual&tags=privacy', [known.privacy]],
  [`packageId=${known.house}`, [known.house]],
  [`groupId=${groups.customers}`, [known.privacy]],
  [`addedToProjectId=${projects.chat}&ascending=true`, [known.privacy, known.injection]],
  [`addedToProjectId=${projects.chat}&active=true`, [known.privacy]],
  [`addedToProjectId=${projects.chat}&mode=block`, [known.injection]],
  [`accessibleToProjectId=${projects.chat}&ascending=true`, all],
  [`accessibleToProjectId=${projects.support}&ascending=true`, [known.privacy, known.injection]],
  [`availableToProjectId=${projects.support}&ascending=true`, [known.privacy, known.injection]],
  ['active=true&ascending=true', all],
  ['enabledForProject=Chat%20App', [known.privacy]],
  [`enabledForProject=${projects.chat}`, [known.privacy]],
  [`endpoint=${endpoints.web}`, [known.privacy]],
])('the listing by "%s" has %j', async (query, expected) => {
  const { send } = await openPeer();

  const { status, body } = await send('GET', `/scanner-packages?${query}`);

  expect(status).toBe(200);
  expect(body.packages.map(({ id }: { id: string }) => id)).toEqual(expected);
});

test.each([
  ['limit=0', 'query.limit'],
  ['limit=101', 'query.limit'],
  ['limit=ten', 'query.limit'],
  ['sortBy=createdAt', 'query.sortBy'],
  ['ascending=yes', 'query.ascending'],
  ['published=PUBLISHED', 'query.published'],
  ['packaged=2', 'query.packaged'],
  ['active=', 'query.active'],
  ['direction=sideways', 'query.direction'],
  ['direction=request,response', 'query.direction'],
  ['source=vendors', 'query.source.0'],
  ['source=vendor,internal', 'query.source.0'],
  ['source=vendor&source=other', 'query.source.1'],
  ['mode=warn', 'query.mode.0'],
  ['packageId=privacy', 'query.packageId.0'],
  ['addedToProjectId=chat-app', 'query.addedToProjectId'],
  ['accessibleToProjectId=chat-app', 'query.accessibleToProjectId'],
  ['availableToProjectId=chat-app', 'query.availableToProjectId'],
  ['cursor=2', 'query.cursor'],
  ['cursor=', 'query.cursor'],
  ['page=2', 'query.page'],
])('the listing by "%s" is refused with 422 that names %s', async (query, named) => {
  const { send } = await openPeer();

  const answer = await send('GET', `/scanner-packages?${query}`);

  expect([answer.status, answer.named]).toEqual([422, [named]]);
});

test.each([false, true])(
  'the pages of the listing lead there and back (cursors as whole URLs: %s)',
  async (isWhole) => {
    const { send } = await openPeer({ wholeUrlCursors: isWhole });
    const page = async (cursor: string | null) => {
      const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await send('GET', `/scanner-packages?ascending=true&limit=1${from}`);
      return { ids: body.packages.map(({ id }: { id: string }) => id), next: body.next, prev: body.prev };
    };
    const first = await page(null);
    const second = await page(first.next);
    const third = await page(second.next);
    const back = await page(third.prev);

    expect([first.prev, third.next, first.next.startsWith('http://127.0.0.1:')]).toEqual([null, null, isWhole]);
    expect([first, second, third, back].map(({ ids }) => ids[0])).toEqual([...all, known.injection]);
  },
);

test('a page has ten packages unless another number is asked for', async () => {
  const { peer, send } = await openPeer();
  const first = [...peer.state.packages.values()].slice(0, 1);
  for (const [at, one] of Array.from({ length: 20 }, () => first)
    .flat()
    .entries()) {
    const shown = { ...one.shown, id: `0199c000-0000-7000-8000-0000000010${at + 10}` };
    peer.state.packages.set(shown.id, { ...one, shown });
  }
  const sizeBy = async (query: string) => (await send('GET', `/scanner-packages${query}`)).body.packages.length;

  expect([await sizeBy(''), await sizeBy('?limit=100')]).toEqual([10, 23]);
});

test.each([projects.chat, 'chat-app', 'Chat App'])('the project %s is found', async (name) => {
  const { send } = await openPeer();

  const { status, body } = await send('GET', `/projects/${encodeURIComponent(name)}`);

  expect(status).toBe(200);
  expect(body.project).toMatchObject({ id: projects.chat, friendlyId: 'chat-app', providerCount: 1, botType: null });
  expect(body.project.config.scanners[0]).toMatchObject({ blocking: false, force: null, version: '2026-02' });
  expect(body.project.config.providerRouting).toEqual([[peerIds.providers.first, { weight: 1 }]]);
});

test('a project is read as its configuration was at a time', async () => {
  const { peer, send, moveTo } = await openPeer();
  const project = peer.state.projects.get(projects.chat);
  project?.configs.push({ from: new Date(minute(10)), config: { packages: [], scanners: [] } });
  moveTo(20);
  const scannersAt = async (query: string) =>
    (await send('GET', `/projects/chat-app${query}`)).body.project.config.scanners.length;

  expect([await scannersAt(''), await scannersAt(`?configAt=${minute(5)}`)]).toEqual([0, 2]);
});

test.each([
  ['', ['web', 'mobile']],
  [`?groupId=${groups.staff}`, ['mobile']],
  [`?chatbotId=${chatbots.chat}`, ['web']],
  [`?groupId=${groups.staff}&chatbotId=${chatbots.chat}`, []],
])('the endpoints by "%s" are %j', async (query, names) => {
  const { send } = await openPeer();

  const { body } = await send('GET', `/endpoints${query}`);

  expect(body.endpoints.map(({ name }: { name: string }) => name)).toEqual(names);
});

test.each([
  ['/projects/elsewhere', 404, []],
  ['/projects/chat-app?configAt=today', 422, ['query.configAt']],
  ['/campaigns/nightly', 422, ['path.campaignId']],
  [`/campaigns/${projects.chat}`, 404, []],
  [`/campaigns/${peerIds.campaigns.nightly}?configAt=1`, 422, ['query.configAt']],
  ['/elsewhere', 404, []],
  ['/projects/%', 400, []],
  ['/datasets', 405, []],
])('GET %s is refused with %i', async (path, status, named) => {
  const { send } = await openPeer();
  const answer = await send('GET', path);

  expect([answer.status, answer.named]).toEqual([status, named]);
});
