import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './build.mjs';

const folder = join(root, 'client/src/icons');
const require = createRequire(import.meta.url);
const google = require('@iconify-json/ic/icons.json');
const community = require('@iconify-json/mdi/icons.json');

/**
 * A component for each icon that the console imports from client/src/icons. A name is that of a Material icon and its style:
 * AddOutlined, Stop. The package that has a component for every icon consists of 43,000 files, a third of all.
 * @param {string[]} sources paths of the console's code
 * @returns {Array<{ path: string, text: string }>}
 */
export function iconsOf(sources) {
  const names = new Set();
  for (const path of sources) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/icons\/([A-Z]\w+)\.generated\.js'/g)) names.add(name);
  }
  return [...names].map((name) => ({
    path: join(folder, `${name}.generated.ts`),
    text: component(name, shapes(name)),
  }));
}

/** @returns the SVG elements of an icon, 24 × 24 units */
function shapes(name) {
  const outlined = name.endsWith('Outlined');
  const word = kebab(outlined ? name.slice(0, -'Outlined'.length) : name);
  // Google's collection has no logos of companies but a few.
  const icon = google.icons[`${outlined ? 'outline' : 'baseline'}-${word}`] ?? community.icons[name.toLowerCase()];
  if (!icon) throw new Error(`There is no icon ${name}`);
  return icon.body;
}

function component(name, body) {
  const parts = [...body.matchAll(/<(\w+) ([^>]*?)\/>/g)].map(([, tag, attributes], index) => {
    const properties = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].filter(
      ([, , value]) => value !== 'currentColor',
    );
    const given = properties.map(([, key, value]) => [camel(key), value]);
    return `createElement('${tag}', ${JSON.stringify(Object.fromEntries([['key', index], ...given]))})`;
  });
  return `import { createSvgIcon } from '@mui/material/utils';
import { createElement } from 'react';

export default createSvgIcon([${parts.join(', ')}], '${name}');
`;
}

function kebab(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

function camel(attribute) {
  return attribute.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
