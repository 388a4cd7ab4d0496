import { Redis } from 'ioredis';
import { freePort } from './processes.js';
import { startRedis } from './redis.js';
const slots = 16_384;
/** Three masters that share the slots, without replicas: the minimum of a cluster. */
export async function startRedisCluster() {
    const members = await Promise.all(Array.from({ length: 3 }, startMember));
    const clients = members.map(({ service }) => new Redis(service.url));
    try {
        const first = members[0];
        for (const [index, client] of clients.entries()) {
            const from = Math.floor((slots * index) / members.length);
            const to = Math.floor((slots * (index + 1)) / members.length) - 1;
            await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
            if (first && index > 0)
                await client.call('CLUSTER', 'MEET', '127.0.0.1', first.port, first.busPort);
        }
        await Promise.all(clients.map(isComplete));
    }
    finally {
        for (const client of clients)
            client.disconnect();
    }
    return {
        nodes: members.map(({ port }) => `127.0.0.1:${port}`),
        members: members.map(({ service }) => service),
        stop: async () => {
            await Promise.all(members.map(({ service }) => service.stop()));
        },
    };
}
async function startMember() {
    const [port, busPort] = [await freePort(), await freePort()];
    const args = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '2000'];
    return { service: await startRedis({ port, args }), port, busPort };
}
/** Waits until the node knows all three and covers every slot. */
async function isComplete(client) {
    const deadline = Date.now() + 20_000;
    for (;;) {
        const info = String(await client.call('CLUSTER', 'INFO'));
        if (/cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info))
            return;
        if (Date.now() > deadline)
            throw new Error(`the cluster does not come together: ${info}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
