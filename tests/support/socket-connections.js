import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
/**
 * A server of WebSockets for the tests of a file. Connections are cut off after each test.
 * @returns opens a connection; `autoPong` is that of the remote end
 */
export function socketConnections() {
    let http;
    let sockets;
    const open = [];
    beforeAll(async () => {
        http = createServer();
        sockets = new WebSocketServer({ server: http });
        http.listen(0, '127.0.0.1');
        await once(http, 'listening');
    });
    afterEach(() => {
        for (const socket of open.splice(0))
            socket.terminate();
    });
    afterAll(() => {
        sockets.close();
        http.close();
    });
    return async (autoPong = true) => {
        const near = once(sockets, 'connection');
        const far = new WebSocket(`ws://127.0.0.1:${http.address().port}`, { autoPong });
        far.on('error', () => undefined);
        await once(far, 'open');
        const [socket] = await near;
        open.push(far, socket);
        return { near: socket, far };
    };
}
