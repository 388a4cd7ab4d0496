import { readFile, writeFile } from 'node:fs/promises';
import { updatedPrices } from './sync/maker-prices.js';
import { readPriceDocument } from './sync/price-document.js';
import { pricesByMaker } from '../../dialects/makers/prices.js';
import { exitCode, runCommand, type ExitCode } from '../../platform/db/command.js';

/**
 * `node scripts/with-build.mjs dist/server/billing/prices/maker-prices.main.js <list.json> <month>`: writes the prices of a
 * published list, in any form that the price sync reads, to the `prices.json` of each maker, which Prettier then has to
 * format. Prints the models whose price changed, and those that the list does not have.
 */
async function main([list, month, ...others]: string[]): Promise<ExitCode> {
  if (!list || !/^20\d\d-(?:0[1-9]|1[0-2])$/.test(month ?? '') || others.length > 0) {
    console.error('usage: maker-prices.main.js <list.json> <month, such as 2026-11>');
    return exitCode.usage;
  }
  const { cards } = await readPriceDocument(await readFile(list));
  for (const [maker, current] of Object.entries(pricesByMaker)) {
    const { file, changed, missing } = await updatedPrices(current, cards, month ?? '');
    await writeFile(`server/src/dialects/makers/${maker}/prices.json`, JSON.stringify(file));
    if (changed.length > 0) console.log(`${maker}: ${changed.length} changed: ${changed.join(', ')}`);
    if (missing.length > 0) console.log(`${maker}: ${missing.length} not in the list: ${missing.join(', ')}`);
  }
  return exitCode.ok;
}

await runCommand(() => main(process.argv.slice(2)));
