import { first } from './first.js';
import * as screens from './screens.js';

/** Every text of the console in Chinese, under the keys of `en`. */
export const zh = {
  ...first,
  ...screens,
  fields: { ...first.fields, ...screens.fields },
  refusals: { ...first.refusals, ...screens.refusals },
};
