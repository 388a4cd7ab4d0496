import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

/** A named bundle of permissions that root gives to common users. */
@Entity('custom_roles')
export class CustomRole {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** The name. It is unique without regard to case. */
  @Column('text') name: string;
  /** Names of `shared/permission.ts` as root selected them, without the permissions that they imply. */
  @Column('text', { array: true }) permissions: string[];
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}
