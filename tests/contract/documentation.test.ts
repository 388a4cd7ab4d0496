import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentSchema } from '../../server/src/config.js';

const root = join(import.meta.dirname, '../..');
const readReadme = (): string => readFileSync(join(root, 'README.md'), 'utf8');

describe('README', () => {
  it('documents every variable the server reads, and no other', () => {
    const section = /^##[^\n]*Configuration[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(readReadme())?.[1] ?? '';
    // The first cell of a row of the table, which may name several that belong together.
    const firstCells = section.split('\n').flatMap((line) => /^\|([^|]*)\|/.exec(line)?.[1] ?? []);
    const documented = firstCells.flatMap((cell) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map((match) => match[1]),
    );
    expect(documented.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });

  it('points to files that exist', () => {
    const links = [...readReadme().matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});
