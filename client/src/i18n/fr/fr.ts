import { first } from './first.js';
import * as screens from './screens.js';

/** Every text of the console in French, under the keys of `en`. */
export const fr = { ...first, ...screens, fields: { ...first.fields, ...screens.fields } };
