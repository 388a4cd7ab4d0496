import { readFileSync } from 'node:fs';
import { builtInTexts } from './builtInTexts.js';

it('has a text for each name and title of the built-in dashboards, and no others', () => {
  const texts = ['overview', 'usage', 'my-usage'].flatMap((key) => {
    const file = JSON.parse(readFileSync(`server/src/console/dashboards/built-in/${key}.json`, 'utf8')) as {
      name: string;
      panels: Array<{ title: string }>;
    };
    return [file.name, ...file.panels.map(({ title }) => title)];
  });
  expect(Object.keys(builtInTexts)).toEqual([...new Set(texts)]);
});
