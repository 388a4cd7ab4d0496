import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { Panel } from './panel.js';

export const visibilities = ['private', 'shared'] as const;
/** `private`: only its owner reads it. `shared`: everyone who reads usage of the site. */
export type Visibility = (typeof visibilities)[number];

/** A saved dashboard: panels, each with a GraphQL query that runs with the rights of the viewer. */
@Entity('dashboards')
export class Dashboard {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** Null: built in, or its owner was removed. */
  @Column('integer', { name: 'owner_id', nullable: true }) ownerId: number | null;
  /** The name of a file of `built-in/`, which the start of the server writes here. Null: made by a user. */
  @Column('text', { name: 'built_in', nullable: true }) builtIn: string | null;
  @Column('text') name: string;
  @Column('text') visibility: Visibility;
  /** Checked by `parsePanels` when they are saved. */
  @Column('json') panels: Panel[];
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}
