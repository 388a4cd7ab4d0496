import type { Usage } from '../../../shared/usage.js';
import type { StreamEnding } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { stopOf } from './messages-answer.js';
import { MessagesStreamReader } from './messages-stream-reader.js';
import { messageEvent } from './messages-stream-writer.js';
import { fromClaudeUsage } from './usage.js';

/** Ends a message: closes its open blocks, of any type. */
export class MessagesEnding implements StreamEnding {
  private readonly reader = new MessagesStreamReader();

  push(event: ServerEvent): NeutralEvent[] {
    return this.reader.push(event);
  }

  end(usage: Usage): string {
    const closed = this.reader.openBlocks.map((index) => messageEvent({ type: 'content_block_stop', index }));
    return (
      closed.join('') +
      messageEvent({ type: 'message_delta', delta: stopOf('length', undefined), usage: fromClaudeUsage(usage) }) +
      messageEvent({ type: 'message_stop' })
    );
  }
}
