import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteObject } from 'react-router-dom';
import { signedInOnly } from './guards.js';
import { routes } from './router.js';
import type { LazyScreen } from './routes.js';
import { screenFiles, type Audience } from './screenFiles.js';

/** Every path with a screen, and who may see it, as the router has it. */
function audiencesOf(list: readonly RouteObject[], guarded = false): Array<readonly [string, Audience]> {
  return list.flatMap((route) => {
    const isGuarded = guarded || route.handle === signedInOnly;
    const below = audiencesOf(route.children ?? [], isGuarded);
    if (typeof route.handle !== 'object') return below;
    const open = (route.handle as LazyScreen).isPublic ? 'visitors' : 'everybody';
    return [[route.path ?? '', isGuarded ? 'users' : open] as const, ...below];
  });
}

const told = Object.entries(screenFiles).flatMap(([audience, files]) =>
  Object.keys(files).map((path) => [path, audience as Audience] as const),
);

it('knows every path of the router, and whom it is for', () => {
  expect([...told].sort()).toEqual(audiencesOf(routes).sort());
});

it.each(Object.values(screenFiles).flatMap((files) => Object.values(files)))('%s is a screen', (file) => {
  expect(existsSync(join(import.meta.dirname, '../screens', `${file}.tsx`))).toBe(true);
});
