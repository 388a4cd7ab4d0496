import { first } from './first.js';
import * as rest from './rest.js';

/** Every text of the console in Chinese, under the keys of `en`. */
export const zh = { ...first, ...rest, fields: { ...first.fields, ...rest.fields } };
