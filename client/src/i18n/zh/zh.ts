import { account } from './account.js';
import { channels } from './channels.js';
import { common } from './common.js';
import { logs } from './logs.js';
import { money } from './money.js';
import { settings } from './settings.js';
import { tasks } from './tasks.js';
import { tokens } from './tokens.js';
import { users } from './users.js';
import { welcome } from './welcome.js';

/** Every text of the console in Chinese, under the keys of `en`. */
export const zh = { ...common, ...welcome, ...account, ...money, channels, tokens, logs, settings, tasks, users };
