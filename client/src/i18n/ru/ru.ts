import { first } from './first.js';
import * as screens from './screens.js';

/** Every text of the console in Russian, under the keys of `en`. */
export const ru = { ...first, ...screens, fields: { ...first.fields, ...screens.fields } };
