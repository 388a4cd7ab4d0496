import { Column, CreateDateColumn, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { OrganisationRole } from '../../shared/organisation.js';
import { User } from './user.entity.js';

/** A person in an organisation, now or in the past: usage and charges of earlier members stay readable. */
@Entity('memberships')
export class Membership {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'organisation_id' }) organisationId: number;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'organisation_id' })
  organisation?: User;
  @Column('integer', { name: 'user_id' }) userId: number;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;
  @Column('text') role: OrganisationRole;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** Null: a member now. */
  @Column('timestamptz', { name: 'left_at', nullable: true }) leftAt: Date | null;
}
