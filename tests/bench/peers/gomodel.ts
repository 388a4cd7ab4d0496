import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../load.js';
import { freePort, launch, ready, type Peer } from './peer.js';

const masterKey = 'sk-benchmark';

export const goModel = (program: string): Peer => ({
  name: 'GoModel',
  leavesOut: 'users, balances, charges, audit log. Usage and cost of every call in SQLite, in batches',
  async start(place) {
    const { folder, upstream } = place;
    const pricing = { currency: 'USD', input_per_mtok: 2.5, output_per_mtok: 10 };
    const provider = {
      type: 'openai',
      api_key: 'sk-upstream',
      base_url: `${upstream}/v1`,
      models: [{ id: models.openai, metadata: { pricing } }],
    };
    // JSON is valid YAML.
    await writeFile(join(folder, 'config.yaml'), JSON.stringify({ providers: { openai: provider } }));
    const port = await freePort();
    const environment = {
      PORT: String(port),
      GOMODEL_MASTER_KEY: masterKey,
      STORAGE_TYPE: 'sqlite',
      SQLITE_PATH: join(folder, 'gomodel.db'),
      GOMODEL_CACHE_DIR: join(folder, 'cache'),
      PID_FILE: join(folder, 'gomodel.pid'),
      LOGGING_ENABLED: 'false',
      LOG_LEVEL: 'error',
      // The models are those of the file: the provider is not asked, and no list is downloaded.
      CONFIGURED_PROVIDER_MODELS_MODE: 'allowlist',
      MODEL_LIST_URL: 'off',
      GOMODEL_VERSION_CHECK_ENABLED: 'false',
    };
    return ready('GoModel', launch(place, [program], environment), { port, key: masterKey }, '/health');
  },
});
