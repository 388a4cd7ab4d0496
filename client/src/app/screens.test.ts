import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screens, sideBarGroups } from './screens.js';

it.each(screens.map(({ module }) => module))('%s names a screen and its component', (module) => {
  const file = join(import.meta.dirname, '../screens', `${module}Screen.tsx`);
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(`export function ${module.split('/')[1] ?? ''}Screen(`);
});

it('gives every path to one screen', () => {
  const paths = screens.flatMap((screen) => screen.paths);
  expect(paths).toHaveLength(new Set(paths).size);
});

it('gives every entry of the side bar one screen', () => {
  const shown = screens.flatMap(({ sideBar }) => sideBar ?? []);
  expect(shown.toSorted()).toEqual(Object.values(sideBarGroups).flat().toSorted());
});
