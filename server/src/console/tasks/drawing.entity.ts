import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** Actions on a drawing (docs/reference/relay/tasks.md#midjourney). */
export const drawingActions = [
  'IMAGINE',
  'DESCRIBE',
  'BLEND',
  'UPSCALE',
  'VARIATION',
  'REROLL',
  'INPAINT',
  'MODAL',
  'ZOOM',
  'CUSTOM_ZOOM',
  'SHORTEN',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'SWAP_FACE',
  'UPLOAD',
] as const;
export type DrawingAction = (typeof drawingActions)[number];

/**
 * One drawing at a Midjourney proxy (docs/reference/rest/entities.md#drawing-task). Of texts, an empty one stands for none.
 */
@Entity('midjourneys')
export class Drawing {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /**
   * The provider's response to the submission: 1 accepted, 21 exists or waits for a dialog, 22 queued; 0 not submitted.
   */
  @Column('integer', { default: 0 }) code: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('text') action: string;
  /** The provider's id of the drawing; empty until it was accepted. */
  @Column('text', { name: 'mj_id', default: '' }) mjId: string;
  @Column('text', { default: '' }) prompt: string;
  @Column('text', { name: 'prompt_en', default: '' }) promptEn: string;
  @Column('text', { default: '' }) description: string;
  @Column('text', { default: '' }) state: string;
  @Column('timestamptz', { name: 'submit_time' }) submitTime: Date;
  /** When the provider began. Null: not yet, or not reported. */
  @Column('timestamptz', { name: 'start_time', nullable: true }) startTime: Date | null;
  /** Null: it has not ended. */
  @Column('timestamptz', { name: 'finish_time', nullable: true }) finishTime: Date | null;
  @Column('text', { name: 'image_url', default: '' }) imageUrl: string;
  /** NOT_START, SUBMITTED, IN_PROGRESS, MODAL, SUCCESS, FAILURE or empty. */
  @Column('text', { default: '' }) status: string;
  /** Percent. 100 is final. */
  @Column('smallint', { default: 0 }) progress: number;
  @Column('text', { name: 'fail_reason', default: '' }) failReason: string;
  @Column('integer', { name: 'channel_id' }) channelId: number;
  /** The buttons and properties as the provider sent them; null when it sent none. */
  @Column('json', { nullable: true }) buttons: unknown;
  @Column('json', { nullable: true }) properties: unknown;
  @Column('text', { name: 'request_id' }) requestId: string;
  @Column('integer', { name: 'token_id', default: 0 }) tokenId: number;
  @Column('text', { default: '' }) username: string;
  @Column('text', { name: 'key_print', default: '' }) keyPrint: string;
  /** The amount charged. */
  @Column('bigint', { transformer: bigintColumn, default: 0 }) quota: number;
  /** Null: there was no charge. */
  @Column('timestamptz', { name: 'charged_at', nullable: true }) chargedAt: Date | null;
  @Column('boolean', { name: 'is_logged', default: false }) isLogged: boolean;
  /** The windows and the plan that paid the charge (`planHoldsOf`). Null: the balance paid. */
  @Column('jsonb', { name: 'plan_holds', nullable: true, select: false }) planHolds: object[] | null;
}
