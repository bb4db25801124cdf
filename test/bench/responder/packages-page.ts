/**
 * One page of a listing: `search` says of how many pages and packages (`50 pages of 100`), `cursor`
 * which. A hundred are about 65 KB, with all fields of the interface, as a real listing has them.
 * Under `/edition-N` one package of each page is another one than in any other edition.
 */
export function packagesPage(url: URL): Buffer {
  const page = Number(url.searchParams.get('cursor') ?? 0);
  const [pages = 1, perPage = 100] = (url.searchParams.get('search') ?? '').match(/\d+/g)?.map(Number) ?? [];
  const edition = /^\/edition-(\d+)\//.exec(url.pathname)?.[1] ?? '0';
  const packages = Array.from({ length: perPage }, (_, index) =>
    packageOf(page * perPage + index, index === page % perPage ? edition : '0'),
  );
  const next = page + 1 < pages ? String(page + 1) : null;
  return Buffer.from(JSON.stringify({ next, prev: page > 0 ? String(page - 1) : null, packages }));
}

function packageOf(number: number, edition: string): object {
  const id = `019ba000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  return {
    availability: { global: number % 2 === 0, projectIds: [['019ba000-0000-7000-8000-000000000101']] },
    availableUpdate: edition === '0' ? (number % 7 === 0 ? '2026-11' : '') : `edition ${edition}`,
    direction: number % 3 === 0 ? 'request' : 'response',
    id,
    name: `Prompt injection package ${number}`,
    projectId: '019ba000-0000-7000-8000-000000000101',
    scannerCounts: { custom: number % 5, genai: 3, keyword: 1 },
    scannerIds: Array.from(
      { length: 4 },
      (_, index) => `019ba000-0000-7000-8001-${String(number * 4 + index).padStart(12, '0')}`,
    ),
    shared: true,
    source: { type: 'vendor' },
    vendored: true,
  };
}
