import { first } from './first.js';
import * as rest from './rest.js';

/** All texts of the console. Other languages have the same keys; a test compares them. */
export const en = { ...first, ...rest, fields: { ...first.fields, ...rest.fields } };
