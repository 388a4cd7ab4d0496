import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { Resolution } from '../../shared/price-condition.js';

/** Music and lyrics by Suno, videos, and batches of calls. */
export const creativeActions = ['MUSIC', 'LYRICS', 'VIDEO', 'BATCH'] as const;
export type CreativeAction = (typeof creativeActions)[number];

/** Facts of a submission. All but `input` only exist for videos, `model` and `terms` for batches. */
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
  /** How a batch is charged when it ends. It is never shown. */
  readonly terms?: unknown;
  /** Set when the user deleted the task. */
  readonly deleted?: true;
}

/**
 * One creative task: music at Suno, a video, or a batch of calls (docs/reference/rest/entities.md#creative-task). Moments are whole seconds
 * (`wholeSecond`).
 */
@Entity('tasks')
export class CreativeTask {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
  /** The provider's id of the task, or this server's id of a video; empty until the task was accepted. */
  @Column('text', { name: 'task_id', default: '' }) taskId: string;
  @Column('text') platform: string;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('integer', { name: 'channel_id' }) channelId: number;
  /** MUSIC, LYRICS, VIDEO or BATCH. */
  @Column('text') action: string;
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, UNKNOWN or empty. */
  @Column('text', { default: 'NOT_START' }) status: string;
  @Column('text', { name: 'fail_reason', default: '' }) failReason: string;
  @Column('timestamptz', { name: 'submit_time' }) submitTime: Date;
  /** When the provider began. Null: not yet, or not reported. */
  @Column('timestamptz', { name: 'start_time', nullable: true }) startTime: Date | null;
  /** Null: it has not ended. */
  @Column('timestamptz', { name: 'finish_time', nullable: true }) finishTime: Date | null;
  /** Percent. 100 is final. */
  @Column('smallint', { default: 0 }) progress: number;
  @Column('jsonb', { default: {} }) properties: TaskProperties;
  /** The provider's report about the task, unchanged. */
  @Column('jsonb', { nullable: true }) data: unknown;
  @Column('text', { name: 'request_id' }) requestId: string;
  @Column('integer', { name: 'token_id', default: 0 }) tokenId: number;
  @Column('text', { default: '' }) username: string;
  @Column('text', { name: 'key_print', default: '' }) keyPrint: string;
  /** The amount charged. A batch is charged when it ends. */
  @Column('bigint', { transformer: bigintColumn, default: 0 }) quota: number;
  /** Null: there was no charge. */
  @Column('timestamptz', { name: 'charged_at', nullable: true }) chargedAt: Date | null;
  @Column('boolean', { name: 'is_logged', default: false }) isLogged: boolean;
  /** The windows and the plan that paid the charge (`planHoldsOf`). Null: the balance paid. */
  @Column('jsonb', { name: 'plan_holds', nullable: true, select: false }) planHolds: object[] | null;
}
