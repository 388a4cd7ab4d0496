import { first } from './first.js';
import * as screens from './screens.js';

/** Every text of the console in Vietnamese, under the keys of `en`. */
export const vi = { ...first, ...screens, fields: { ...first.fields, ...screens.fields } };
