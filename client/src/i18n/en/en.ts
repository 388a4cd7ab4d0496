import { first } from './first.js';
import { rest } from './rest.js';

/** Every text of the console. The keys of all languages are these; a test compares them. */
export const en = { ...first, ...rest };
