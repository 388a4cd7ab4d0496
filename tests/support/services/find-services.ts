import { findMariaDb } from '../import/mariadb.js';
import { findBrowser } from './browser.js';
import { findPostgres } from './postgres.js';
import type { Service } from './processes.js';
import { findRedis } from './redis.js';

/**
 * Finds or starts what tests need, and prints what it found.
 * @param services receives those that were started
 * @returns the environment variables that tests read
 * @throws {Error} if there is no Postgres, and in CI if anything else is missing
 */
export async function findServices(
  services: Service[],
  { withBrowser }: { withBrowser: boolean },
): Promise<Record<string, string>> {
  const postgres = await findPostgres();
  services.push(postgres);
  print('Database', postgres.description);
  const environment: Record<string, string> = { TEST_DATABASE_URL: postgres.url };

  const redis = await findRedis();
  if (redis) {
    services.push(redis);
    environment.TEST_REDIS_URL = redis.url;
  }
  print('Redis', redis?.description ?? optional('none found: only the in-process store is tested', 'Redis'));

  const mariadb = findMariaDb();
  const found = mariadb && `found on this machine (${mariadb.server})`;
  print('MariaDB', found ?? optional('none found: import from MySQL is not tested', 'MariaDB'));

  const browser = withBrowser ? findBrowser() : null;
  if (browser) environment.CHROMIUM_PATH = browser.path;
  else environment.TEST_BROWSER = 'none';
  if (withBrowser) {
    print('Browser', browser?.description ?? optional('none found: browser tests are left out', 'browser'));
  }
  return environment;
}

/** A service may be missing on a developer's machine. In CI that is a failure, because it would go unnoticed. */
function optional(otherwise: string, service: string): string {
  if (process.env.CI) throw new Error(`no ${service} found, and in CI nothing is left out`);
  return otherwise;
}

const print = (service: string, where: string): void => console.log(`${`${service}:`.padEnd(10)}${where}`);
