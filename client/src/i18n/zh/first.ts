import { account } from './account.js';
import { common } from './common.js';
import { welcome } from './welcome.js';

/** What is read before anybody has signed in: the first page waits for these and for no more. */
export const first = { ...common, ...welcome, ...account };
