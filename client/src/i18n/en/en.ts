import { first } from './first.js';
import * as screens from './screens.js';

/** All texts of the console. Other languages have the same keys; a test compares them. */
export const en = {
  ...first,
  ...screens,
  fields: { ...first.fields, ...screens.fields },
  refusals: { ...first.refusals, ...screens.refusals },
};
