import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { Resolution } from '../../shared/price-condition.js';

/** Music and lyrics by Suno, and videos. */
export const creativeActions = ['MUSIC', 'LYRICS', 'VIDEO'] as const;
export type CreativeAction = (typeof creativeActions)[number];

/** Facts of a submission. All but `input` only exist for videos. */
export interface TaskProperties {
  readonly input?: string;
  readonly model?: string;
  readonly seconds?: number;
  /** Width and height in pixels, such as `1280x720`. */
  readonly size?: string;
  readonly resolution?: Resolution;
  /** The provider's id. */
  readonly upstream?: string;
  /** This server's id of the video on which it is based. */
  readonly remixedFrom?: string;
  /** Set when the user deleted the task. */
  readonly deleted?: true;
}

/**
 * One creative task: music at Suno, or a video (docs/reference/rest/entities.md#creative-task). Times are Unix seconds, 0
 * unset.
 */
@Entity('tasks')
export class CreativeTask {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('bigint', { name: 'created_at', transformer: bigintColumn }) createdAt: number;
  @Column('bigint', { name: 'updated_at', transformer: bigintColumn }) updatedAt: number;
  /** The provider's id of the task, or this server's id of a video; empty until the task was accepted. */
  @Column('text', { name: 'task_id', default: '' }) taskId: string;
  @Column('text') platform: string;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('integer', { name: 'channel_id' }) channelId: number;
  /** MUSIC, LYRICS or VIDEO. */
  @Column('text') action: string;
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, UNKNOWN or empty. */
  @Column('text', { default: 'NOT_START' }) status: string;
  @Column('text', { name: 'fail_reason', default: '' }) failReason: string;
  @Column('bigint', { name: 'submit_time', transformer: bigintColumn }) submitTime: number;
  @Column('bigint', { name: 'start_time', transformer: bigintColumn, default: 0 }) startTime: number;
  @Column('bigint', { name: 'finish_time', transformer: bigintColumn, default: 0 }) finishTime: number;
  /** `0%` to `100%`; `100%` is final. */
  @Column('text', { default: '0%' }) progress: string;
  @Column('jsonb', { default: {} }) properties: TaskProperties;
  /** The provider's report about the task, unchanged. */
  @Column('jsonb', { nullable: true }) data: unknown;
  @Column('text', { name: 'request_id' }) requestId: string;
  @Column('integer', { name: 'token_id', default: 0 }) tokenId: number;
  @Column('text', { default: '' }) username: string;
  @Column('text', { name: 'key_print', default: '' }) keyPrint: string;
  /** The amount charged. */
  @Column('bigint', { transformer: bigintColumn, default: 0 }) quota: number;
  /** Unix seconds of the charge; 0 when there was none. */
  @Column('bigint', { name: 'charged_at', transformer: bigintColumn, default: 0 }) chargedAt: number;
  @Column('boolean', { name: 'is_logged', default: false }) isLogged: boolean;
}
