import { WrappedStream } from '../../wire/pass-through/wrapped-stream.js';
import { EventBlocks, eachEvent, type EventBlock } from '../../wire/sse/event-blocks.js';

const name = 'vertex_event';
/** Quotes inside JSON text are escaped, so content cannot match. */
const mark = /^event: ?vertex_event|"type": ?"vertex_event"/m;

/**
 * Removes Vertex's own events from Claude's stream. Clients of Messages fail on an unknown event type, and the usage in
 * it repeats that of the message.
 */
export class WithoutVertexEvents extends WrappedStream {
  private readonly blocks = new EventBlocks();

  push(bytes: Buffer): Buffer | string | null {
    const block = this.blocks.push(bytes);
    return block ? this.forward(block) : null;
  }

  end(): Buffer | string | null {
    const rest = this.blocks.rest();
    const said = rest ? this.forward(rest) : null;
    const ended = this.inner.end();
    return said === null || ended === null ? (said ?? ended) : Buffer.concat([bytesOf(said), bytesOf(ended)]);
  }

  private forward(block: EventBlock): Buffer | string | null {
    if (!block.text.includes(name)) return this.inner.push(block.bytes);
    const kept: Buffer[] = [];
    eachEvent(block.text, (start, end) => {
      if (!mark.test(block.text.slice(start, end))) kept.push(block.bytes.subarray(start, end));
    });
    return kept.length === 0 ? null : this.inner.push(Buffer.concat(kept));
  }
}

const bytesOf = (said: Buffer | string): Buffer => (typeof said === 'string' ? Buffer.from(said) : said);
