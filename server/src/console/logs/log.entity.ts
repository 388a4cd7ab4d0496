import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** A row of the usage log; partitioned by month of `createdAt` (Unix seconds). Consume rows are written by settlements. */
@Entity('logs')
export class Log {
  @PrimaryColumn('bigint', { transformer: bigintColumn }) id: number;
  @PrimaryColumn('bigint', { name: 'created_at', transformer: bigintColumn }) createdAt: number;
  @Column('text', { name: 'request_id', default: '' }) requestId: string;
  @Column('smallint') type: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  /** The user's name at the time of writing. */
  @Column('text', { default: '' }) username: string;
  @Column('integer', { name: 'token_id', default: 0 }) tokenId: number;
  @Column('text', { name: 'token_name', default: '' }) tokenName: string;
  @Column('integer', { name: 'channel_id', default: 0 }) channelId: number;
  @Column('text', { name: 'model_name', default: '' }) modelName: string;
  @Column('text', { default: '' }) group: string;
  @Column('bigint', { transformer: bigintColumn, default: 0 }) quota: number;
  @Column('integer', { name: 'prompt_tokens', default: 0 }) promptTokens: number;
  @Column('integer', { name: 'completion_tokens', default: 0 }) completionTokens: number;
  /** Whole seconds. */
  @Column('integer', { name: 'use_time', default: 0 }) useTime: number;
  @Column('boolean', { name: 'is_stream', default: false }) isStream: boolean;
  @Column('text', { default: '' }) content: string;
  /** JSON text, keys of docs/reference/relay/usage-log.md#the-other-field. */
  @Column('text', { default: '' }) other: string;
}
