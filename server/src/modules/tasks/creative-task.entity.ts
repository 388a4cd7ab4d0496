import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../db/columns.js';

/** Actions that can be requested from Suno. */
export const creativeActions = ['MUSIC', 'LYRICS'] as const;
export type CreativeAction = (typeof creativeActions)[number];

/**
 * One creative task, today music at Suno (docs/reference/rest/entities.md#creative-task). Times are Unix seconds, 0
 * unset.
 */
@Entity('tasks')
export class CreativeTask {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('bigint', { name: 'created_at', transformer: bigintColumn }) createdAt: number;
  @Column('bigint', { name: 'updated_at', transformer: bigintColumn }) updatedAt: number;
  /** The provider's id of the task; empty until it was accepted. */
  @Column('text', { name: 'task_id', default: '' }) taskId: string;
  @Column('text') platform: string;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('integer', { name: 'channel_id' }) channelId: number;
  /** MUSIC or LYRICS. */
  @Column('text') action: string;
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, UNKNOWN or empty. */
  @Column('text', { default: 'NOT_START' }) status: string;
  @Column('text', { name: 'fail_reason', default: '' }) failReason: string;
  @Column('bigint', { name: 'submit_time', transformer: bigintColumn }) submitTime: number;
  @Column('bigint', { name: 'start_time', transformer: bigintColumn, default: 0 }) startTime: number;
  @Column('bigint', { name: 'finish_time', transformer: bigintColumn, default: 0 }) finishTime: number;
  /** `0%` to `100%`; `100%` is final. */
  @Column('text', { default: '0%' }) progress: string;
  @Column('jsonb', { default: {} }) properties: { input?: string };
  /** The provider's report about the task, unchanged. */
  @Column('jsonb', { nullable: true }) data: unknown;
  @Column('text', { name: 'request_id' }) requestId: string;
  @Column('integer', { name: 'token_id', default: 0 }) tokenId: number;
  @Column('text', { default: '' }) username: string;
  @Column('text', { name: 'key_print', default: '' }) keyPrint: string;
  /** The amount charged. */
  @Column('bigint', { transformer: bigintColumn, default: 0 }) quota: number;
  /** Unix seconds of the charge; 0 none. */
  @Column('bigint', { name: 'charged_at', transformer: bigintColumn, default: 0 }) chargedAt: number;
  @Column('boolean', { name: 'is_logged', default: false }) isLogged: boolean;
}
