import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { EventSocket } from './event-socket.js';

/** A client that reads only as much as the test allows. */
class Reader extends EventEmitter {
  readonly got: string[] = [];
  destroyed = false;
  writable = true;
  writableNeedDrain = false;
  takes = true;

  writeHead(): void {
    this.got.push('head');
  }
  write(text: string): boolean {
    this.got.push(text);
    this.writableNeedDrain = !this.takes;
    return this.takes;
  }
  end(text: string): void {
    this.got.push(text);
    this.writable = false;
    this.emit('close');
  }
  destroy(): void {
    this.destroyed = true;
    this.writable = false;
    this.emit('close');
  }
}

const gone = jest.fn();
let reader: Reader;
let socket: EventSocket;
beforeEach(() => {
  jest.useFakeTimers();
  gone.mockClear();
  reader = new Reader();
  socket = new EventSocket(reader as unknown as ServerResponse, {}, gone);
});
afterEach(() => jest.useRealTimers());

it('says something every fifteen seconds of silence, and nothing to whoever does not listen', () => {
  expect(reader.got).toEqual(['head', ':\n\n']);
  jest.advanceTimersByTime(45_000);
  expect(reader.got.filter((text) => text === ':\n\n')).toHaveLength(4);
  reader.writableNeedDrain = true;
  jest.advanceTimersByTime(45_000);
  expect(reader.got.filter((text) => text === ':\n\n')).toHaveLength(4);
});

it('waits until the reader can take more', async () => {
  reader.takes = false;
  const sent = socket.next({ data: 1 });
  let ready = false;
  void sent.then(() => (ready = true));
  await jest.advanceTimersByTimeAsync(29_000);
  expect(ready).toBe(false);
  reader.emit('drain');
  expect(await sent).toBe(true);
  expect(reader.got.at(-1)).toBe('event: next\ndata: {"data":1}\n\n');
  expect(reader.destroyed).toBe(false);
});

it('drops a reader who takes nothing for thirty seconds', async () => {
  reader.takes = false;
  const sent = socket.next({});
  await jest.advanceTimersByTimeAsync(30_000);
  expect(await sent).toBe(false);
  expect(reader.destroyed).toBe(true);
  expect(gone).toHaveBeenCalledTimes(1);
});

it('ends in order, and leaves no timer behind', () => {
  socket.complete();
  expect(reader.got.at(-1)).toBe('event: complete\ndata:\n\n');
  expect(jest.getTimerCount()).toBe(0);
});

it('closes without a word in the time it was given', () => {
  reader.takes = false;
  void socket.next({});
  socket.closeWithin(500);
  jest.advanceTimersByTime(500);
  expect(reader.destroyed).toBe(true);
});

it('notices a reader who left before anybody looked', () => {
  const left = new Reader();
  left.destroyed = true;
  new EventSocket(left as unknown as ServerResponse, {}, gone);
  expect(gone).toHaveBeenCalledTimes(1);
});
