import { later } from './later.js';

/** The menu of every row, button and bulk choice: one chunk for all of them. */
export const actionMenu = later(async () => (await import('./ActionMenu.js')).ActionMenu);
