import { readFileSync } from 'node:fs';
import { builtInTexts } from './builtInTexts.js';

it('has a text for each name and title of the built-in dashboards, and no others', () => {
  const file = JSON.parse(readFileSync('server/src/console/dashboards/built-in/overview.json', 'utf8')) as {
    name: string;
    panels: Array<{ title: string }>;
  };
  expect(Object.keys(builtInTexts)).toEqual([file.name, ...file.panels.map(({ title }) => title)]);
});
