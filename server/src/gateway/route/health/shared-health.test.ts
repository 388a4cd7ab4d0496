import { MemoryState } from '../../../platform/cache/memory-state.js';
import type { Logger } from '../../../platform/observability/logger.js';
import type { RoutedChannel } from '../routed-channel.js';
import { Health } from './health.js';
import { SharedHealth } from './shared-health.js';

const channel = { id: 1, keys: ['sk-one', 'sk-two'] } as unknown as RoutedChannel;
const logger = { debug: () => undefined } as unknown as Logger;
const started: Node[] = [];
let store: MemoryState;
let now: number;

/** A node whose connection to the store can be cut. It then uses its own memory. */
class Node {
  readonly health = new Health({ now: () => now });
  private readonly memory = new MemoryState();
  private readonly gaps: Array<() => void> = [];
  private isCut = false;
  /**
   * Whether the connection is cut. Calls use the store again after one of them succeeded, which is later than the
   * subscription.
   */
  private isAway = false;
  private readonly shared = new SharedHealth({
    health: this.health,
    clock: { now: () => now },
    logger,
    changed: () => undefined,
    state: {
      get: (key) => this.state.get(key),
      set: (...given) => this.state.set(...given),
      delete: (key) => this.state.delete(key),
      once: (...given) => this.state.once(...given),
      publish: (...given) => this.state.publish(...given),
      subscribe: (topic, handler) => store.subscribe(topic, (message) => (this.isCut ? undefined : handler(message))),
      ping: async () => {
        this.isAway = this.isCut;
        return !this.isCut;
      },
      onGap: (handler) => void this.gaps.push(handler),
    },
  });

  static async start(): Promise<Node> {
    const node = new Node();
    started.push(node);
    await node.shared.start(() => [channel.id]);
    return node;
  }

  private get state(): MemoryState {
    return this.isAway ? this.memory : store;
  }

  cut(): void {
    this.isCut = this.isAway = true;
  }

  async reconnect(): Promise<void> {
    this.isCut = false;
    for (const handler of this.gaps) handler();
    await settled();
  }

  stop(): Promise<void> {
    return this.shared.stop();
  }

  get refused(): number {
    return this.health.of(channel.id).length;
  }
}

/** Waits for messages and writes that their senders do not await. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

beforeEach(() => {
  store = new MemoryState();
  now = 1_767_225_600_000;
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((node) => node.stop()));
});

describe.each([
  ['the node that ended it first', true],
  ['the other one first', false],
])('when the store is available again, %s', (_order, isFirst) => {
  it('a cooldown that was ended meanwhile stays ended, at every node', async () => {
    const [one, two] = [await Node.start(), await Node.start()];
    one.health.refused(channel, 0);
    await settled();
    expect([one.refused, two.refused]).toEqual([1, 1]);
    one.cut();
    two.cut();
    now += 1000;
    one.health.clear(channel.id);
    await settled();
    for (const node of isFirst ? [one, two] : [two, one]) await node.reconnect();
    expect([one.refused, two.refused]).toEqual([0, 0]);
    expect((await Node.start()).refused).toBe(0);
    // A refusal after the end of the cooldown counts.
    now += 1000;
    two.health.refused(channel, 0);
    await settled();
    expect([one.refused, two.refused, (await Node.start()).refused]).toEqual([1, 1, 1]);
  });

  it('a cooldown that began meanwhile is known to every node', async () => {
    const [one, two] = [await Node.start(), await Node.start()];
    one.cut();
    two.cut();
    one.health.refused(channel, 0);
    await settled();
    for (const node of isFirst ? [one, two] : [two, one]) await node.reconnect();
    expect([one.refused, two.refused, (await Node.start()).refused]).toEqual([1, 1, 1]);
  });
});
