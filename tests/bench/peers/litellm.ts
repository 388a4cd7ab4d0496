import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../load.js';
import { freePort, installPython, launch, ready, type Peer } from './peer.js';

const version = '1.100.5';

export const liteLLM: Peer = {
  name: `LiteLLM ${version}`,
  leavesOut: 'keys of users, charges, log: here without a database',
  async start(place) {
    const { folder, upstream, cores } = place;
    const programs = await installPython(folder, `litellm[proxy]==${version}`);
    const config = {
      model_list: [
        {
          model_name: models.openai,
          litellm_params: { model: `openai/${models.openai}`, api_base: `${upstream}/v1`, api_key: 'sk-upstream' },
        },
      ],
      general_settings: { master_key: 'sk-benchmark' },
    };
    // The configuration is written as JSON, which is valid YAML.
    await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
    const port = await freePort();
    const program = [join(programs, 'litellm'), '--config', 'config.yaml', '--num_workers', String(cores)];
    const environment = { LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
    const child = launch(place, [...program, '--host', '127.0.0.1', '--port', String(port)], environment);
    return ready('LiteLLM', child, { port, key: 'sk-benchmark' });
  },
};
