import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '../agents/kinds.js';
import { alertKinds } from '../../server/src/console/alerts/alert.entity.js';
import { environmentSchema } from '../../server/src/platform/config.js';
import { features } from '../../server/src/platform/db/features/features.js';
import { optionKeys } from '../../server/src/options/option-registry.js';
import { quantities } from '../../server/src/shared/price-quantities.js';
import { providers } from '../../server/src/dialects/makers/providers.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('docs/configuration.md', () => {
  it('documents every variable the server reads, and no other', () => {
    // The first cell of a table row may name several variables that belong together.
    const firstCells = read('docs/configuration.md')
      .split('\n')
      .flatMap((line) => /^\|([^|]*)\|/.exec(line)?.[1] ?? []);
    const documented = firstCells.flatMap((cell) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map((match) => match[1]),
    );
    expect(documented.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });

  it('gives each variable the default that the server has', () => {
    // These defaults are described in words: they are created, are addresses of other sites, or mean an empty list.
    const inWords = ['created once', 'the public ones', 'tracecontext'];
    const defaults: Readonly<Record<string, string | number | boolean | string[] | undefined>> =
      environmentSchema.parse({});
    const asText = (value: (typeof defaults)[string]): string =>
      value === undefined || (Array.isArray(value) && value.length === 0) ? '' : String(value);
    const rows = [...read('docs/configuration.md').matchAll(/^\| (`[A-Z][^|]*)\|([^|]*)\|/gm)].filter(
      ([, , cell = '']) => !inWords.includes(cell.trim()),
    );
    expect(rows.length).toBeGreaterThan(50);
    for (const [, names = '', cell = ''] of rows) {
      const listed = [...names.matchAll(/`([A-Z0-9_]+)`/g)].map((match) => match[1] ?? '');
      const written = cell.split(',').map((text) => text.trim());
      expect(listed.map((name, n) => [name, written[n] ?? ''])).toEqual(
        listed.map((name) => [name, asText(defaults[name])]),
      );
    }
  });
});

describe('docs/scaling.md', () => {
  it('lists every code of the check of the database, in its order', () => {
    const [, section = ''] = read('docs/scaling.md').split('### What a database needs');
    const listed = section.split('\n').flatMap((line) => /^\| `([A-Z_]+)`/.exec(line)?.[1] ?? []);
    expect(listed).toEqual([...features.map(({ code }) => code), 'ADDRESSES', 'MIGRATIONS', 'LEDGER']);
  });
});

describe('docs/reference/rest/options.md', () => {
  it('documents every option', () => {
    const text = read('docs/reference/rest/options.md');
    expect(optionKeys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });

  it('names those that nothing of the server reads', () => {
    const folder = join(root, 'server/src');
    // These declare an option, say who may write it, and take its value over from another program.
    const isNoReader = (name: string): boolean => /^options\/option-(registry|permissions)\.ts$|^import\//.test(name);
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.ts$/.test(name) && !isNoReader(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const unread = optionKeys.filter((key) => !code.includes(key));
    const rows = read('docs/reference/rest/options.md')
      .split('\n')
      .filter((line) => line.includes('Accepted, without effect'));
    const named = rows.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1]));
    expect(unread.toSorted()).toEqual(named.toSorted());
  });
});

describe('docs/reference/providers/README.md', () => {
  it('lists every channel type that can be chosen', () => {
    const table = read('docs/reference/providers/README.md').split('## Endpoints by provider')[0] ?? '';
    const firstCells = table.split('\n').flatMap((line) => /^\| ([\d, ]+) \|/.exec(line)?.[1] ?? []);
    const documented = firstCells.flatMap((cell) => cell.split(',').map(Number));
    const offered = providers.filter((provider) => provider.offered).map(({ id }) => id);
    expect(documented.toSorted((left, right) => left - right)).toEqual(offered);
  });

  it('lists which types serve an endpoint', () => {
    const endpoints = {
      'Responses, natively': 'responses',
      'Messages, natively': 'messages',
      'Gemini, natively': 'generate',
      Completions: 'completions',
      Embeddings: 'embeddings',
      Images: 'images',
      'Image edits': 'imageEdits',
      'Image variations': 'imageVariations',
      Speech: 'speech',
      Transcription: 'transcription',
      Translation: 'translation',
      Moderations: 'moderations',
      Rerank: 'rerank',
    } as const;
    const [, following = ''] = read('docs/reference/providers/README.md').split('## Endpoints by provider');
    const [section = ''] = following.split('\n## ');
    const rows = [...section.matchAll(/^\| ([^|]+?) +\| ([^|]*\d[^|]*)\|/gm)];
    const documented = rows.map(([, endpoint, types = '']) => [endpoint, types.match(/\d+/g)?.map(Number)]);
    // The row of type 58 is left out, because each of its channels names its own endpoints.
    const serving = providers.filter(({ id, offered }) => offered && id !== 58);
    expect(documented).toEqual(
      Object.entries(endpoints).map(([endpoint, name]) => [
        endpoint,
        serving.filter(({ adapter }) => adapter[name]).map(({ id }) => id),
      ]),
    );
  });
});

describe('docs/reference/relay/prices.md', () => {
  it('names every quantity that may have a price', () => {
    const text = read('docs/reference/relay/prices.md');
    expect(quantities.filter((quantity) => !text.includes(`\`${quantity}\``))).toEqual([]);
  });
});

describe.each([
  ['guide/operations.md', '## Alerts in the console'],
  ['zh/guide/operations.md', '## 控制台中的告警'],
])('docs/%s', (file, heading) => {
  it('has a row for each alert of the console', () => {
    const [, following = ''] = read(`docs/${file}`).split(heading);
    const [table = ''] = following.split('\n\n').filter((part) => part.startsWith('|'));
    const [, , ...rows] = table.split('\n');
    expect(rows).toHaveLength(alertKinds.length);
  });
});

describe('README', () => {
  it('points to files that exist', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });

  it('has the two commands first, and at most 7 KB', () => {
    expect(read('README.md').split('\n').slice(0, 6).join('\n')).toMatch(/npm ci && npm start.*\nnpm ci && npm test/);
    expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(7 * 1024);
  });

  it('leads to the programs that are run with their versions, and the channels they are run at', () => {
    const section = read('docs/reference/programs.md').replaceAll('\n', ' ') ?? '';
    // Packages of npm and PyPI: `@openai/codex@0.171.0`, `openai==3.57.0`.
    const sources = read('tests/agents/programs.ts');
    const run = [...sources.matchAll(/'@?[\w/[\],-]+(?:@|==)(\d+\.\d+\.\d+)'/g)].map((match) => match[1]);
    expect(run.length).toBeGreaterThanOrEqual(19);
    expect(run.filter((version) => !section.includes(version ?? '?'))).toEqual([]);
    const types = new Set(kinds.map(({ type }) => type));
    expect(section).toContain(`each of the ${types.size} [types of channels]`);
    const [midjourney, itsPlus, suno, jina, moka, kling, jimeng, vidu] = [2, 5, 36, 38, 44, 50, 51, 52];
    const others = providers.filter(({ id, offered }) => offered && !types.has(id)).map(({ id }) => id);
    expect(others).toEqual([midjourney, itsPlus, suno, jina, moka, kling, jimeng, vidu]);
    expect(section).toContain('all but Midjourney and Suno proxies, Jina, Moka and makers of videos only.');
  });
});
