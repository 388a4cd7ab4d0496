import { first } from './first.js';
import * as screens from './screens.js';

/** Every text of the console in Japanese, under the keys of `en`. */
export const ja = { ...first, ...screens, fields: { ...first.fields, ...screens.fields } };
