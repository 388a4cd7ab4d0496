import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds as allKinds } from './kinds.js';
import { features } from './program.js';
import { llamaIndex, programs, sdks } from './programs.js';
import type { ResultsOf, Shown, Tested } from './results.js';

const root = join(import.meta.dirname, '../..');
const tested = [...programs, ...sdks];

const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const headings = {
  en: {
    title: 'Programs and channels',
    intro:
      'What each program showed at each kind of channel when `npm run test:agents` ran it last. The providers are scripted and refuse ' +
      'what real ones refuse. A program without a kind in its rows was not run there. The last column is the day of the oldest result ' +
      'in the row. [Versions](../reference/programs.md).',
    columns: ['Program', 'Channels', 'Tool', 'Second turn', 'Stop', 'Image', 'Since'],
    others: 'all others',
    list: 'All kinds',
  },
  zh: {
    title: '程序与渠道',
    intro:
      '`npm run test:agents` 最近一次运行时，各程序在各种渠道上的结果（结果为英文）。提供商由脚本模拟，会拒绝真实提供商拒绝的请求。' +
      '某程序的行中没有的渠道表示未运行。最后一列为该行中最早结果的日期。[版本](../../reference/programs.md)。',
    columns: ['程序', '渠道', '工具', '第二轮', '中断', '图像', '自'],
    others: '其余全部',
    list: '全部渠道',
  },
};

/** One row for the kinds at which a program showed the same. The longest row of a program that was run at all kinds names none. */
function rowsOf(name: string, { kinds }: ResultsOf, others: string): string[][] {
  const rows = new Map<string, { readonly found: Shown; readonly at: string[]; readonly days: string[] }>();
  const run = allKinds.flatMap((kind) => (kinds[kind.name] ? [[kind.name, kinds[kind.name]!] as const] : []));
  for (const [kind, found] of run) {
    const key = features.map((feature) => found[feature] ?? '').join('|');
    const row = rows.get(key) ?? { found, at: [], days: [] };
    row.at.push(kind);
    row.days.push(found.on);
    rows.set(key, row);
  }
  const isComplete = run.length === allKinds.length;
  return [...rows.values()]
    .toSorted((one, other) => other.at.length - one.at.length)
    .map(({ found, at, days }, index) => [
      index === 0 ? name : '',
      isComplete && index === 0 ? others : at.join('; '),
      ...features.map((feature) => found[feature] ?? ''),
      days.toSorted()[0]!,
    ]);
}

type Reads = (tested: Tested) => ResultsOf;

const matrix = (read: Reads, { title, intro, columns, others, list }: (typeof headings)['en']): string => {
  const rows = tested.flatMap((program) => rowsOf(program.name, read(program), others));
  const names = allKinds.map(({ name }) => name).join('; ');
  return `# ${title}\n\n${intro}\n\n${list} (${allKinds.length}): ${names}.\n\n${table(columns, rows)}\n`;
};

/** The programs of one package and what they speak, with the versions. */
function versions(): string {
  const rows = new Map<string, Set<string>>();
  for (const { packages, speaks } of [...tested, { packages: llamaIndex, speaks: 'Chat completions, one question' }]) {
    const name = packages.join(', ');
    rows.set(name, (rows.get(name) ?? new Set()).add(speaks));
  }
  return table(
    ['Package', 'Speaks'],
    [...rows].map(([name, speaks]) => [`\`${name}\``, [...speaks].join(', ')]),
  );
}

/**
 * Writes the table of versions and the pages of results.
 * @param results the folder of the results
 */
export function writePages(read: Reads, results: string): void {
  const page = readFileSync(join(root, 'docs/reference/programs.md'), 'utf8');
  const files = {
    'docs/clients/matrix.md': matrix(read, headings.en),
    'docs/zh/clients/matrix.md': matrix(read, headings.zh),
    'docs/reference/programs.md': page.replace(
      /(<!-- versions -->)[\s\S]*?(<!-- end -->)/,
      `$1\n\n${versions()}\n\n$2`,
    ),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  execFileSync(join(root, 'node_modules/.bin/prettier'), ['--write', results, ...Object.keys(files)], {
    cwd: root,
    stdio: 'pipe',
  });
}
