import { spawnServer, startServer } from './server.js';

describe('test servers', () => {
  it('start in this process, can be set up, and answer both presentations', async () => {
    const server = await startServer();
    try {
      const root = await server.api.setUp();
      expect(await server.api.data(root, 'GET', '/api/user/self')).toMatchObject({ id: root.id, username: 'root' });
      const answer = await server.api.graphql(root, '{ me { username } }');
      expect(answer).toEqual({ data: { me: { username: 'root' } }, errors: [] });
      for (const line of server.logLines()) expect(JSON.parse(line)).toHaveProperty('msg');
      expect(server.logLines()).not.toHaveLength(0);
    } finally {
      await server.stop();
    }
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('start as processes, die when killed, and find their rows again', async () => {
    const first = await spawnServer();
    const root = await first.api.setUp();
    await first.kill();
    await expect(fetch(`${first.url}/healthz`)).rejects.toThrow();

    const second = await spawnServer({ database: first.database });
    expect(await second.api.data(root, 'GET', '/api/user/self')).toMatchObject({ username: 'root' });
    await second.stop();
    await first.stop();
  });
});
