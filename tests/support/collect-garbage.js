import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
/** Frees what is unreachable, so that memory can be measured. */
export const collectGarbage = runInNewContext('gc');
