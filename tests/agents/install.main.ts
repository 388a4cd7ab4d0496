import { installAll, outdated } from './install.js';

/** The first half of `npm run test:agents`, and the only one that needs a network. */
const old = outdated(Date.now());
if (old.length > 0) throw new Error(`Newer versions are to be run, see tests/agents/programs.ts:\n${old.join('\n')}`);
installAll();
