import { screens } from '../../client/src/app/screens.js';

/*
 * The addresses of the console's screens, from the table of its router: a new screen is tested without a change here.
 */

/** Screens that a signed-in user stays on. The pages of objects are views (`console-views.ts`), because they need one. */
export const insidePaths: readonly string[] = screens
  .filter(
    ({ access, module, paths: [path] }) =>
      access !== 'visitor' && module !== 'chat/ChatRedirect' && !path.includes(':'),
  )
  .map(({ paths: [path] }) => path);

/** Screens that are a list. */
export const listPaths: readonly string[] = screens
  .filter(({ module }) => module.endsWith('List'))
  .map(({ paths: [path] }) => path);
