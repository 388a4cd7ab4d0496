import { account } from './account.js';
import { common } from './common.js';
import { welcome } from './welcome.js';

/** Texts of the pages before sign-in. The first page waits only for these. */
export const first = { ...common, ...welcome, ...account };
