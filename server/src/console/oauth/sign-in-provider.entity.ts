import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { User } from '../../billing/accounts/index.js';

/** Names of the members of a profile that the provider returns. Empty: it has none. */
export interface ProfileClaims {
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: string;
}

/** A sign-in provider that the operator added. */
@Entity('sign_in_providers')
export class SignInProvider {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** Part of the redirect address. It never changes. */
  @Column('text') slug: string;
  @Column('text') name: string;
  /** URL of an image. Empty: a plain icon. */
  @Column('text', { default: '' }) icon: string;
  @Column('boolean', { default: true }) enabled: boolean;
  /** The issuer of an OpenID Connect provider. Empty: OAuth 2 with the three addresses. */
  @Column('text', { default: '' }) issuer: string;
  @Column('text', { name: 'authorization_endpoint', default: '' }) authorizationEndpoint: string;
  @Column('text', { name: 'token_endpoint', default: '' }) tokenEndpoint: string;
  @Column('text', { name: 'user_info_endpoint', default: '' }) userInfoEndpoint: string;
  @Column('text', { name: 'client_id' }) oauthClientId: string;
  /** Encrypted. It is never selected unless requested explicitly. */
  @Column('text', { name: 'client_secret_sealed', default: '', select: false }) clientSecretSealed: string;
  /** Separated by spaces. */
  @Column('text') scopes: string;
  @Column('jsonb') claims: ProfileClaims;
  /** Only people with a verified address in one of these may sign in. Empty: all. */
  @Column('text', { name: 'allowed_domains', array: true, default: '{}' }) allowedDomains: string[];
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' }) createdAt: Date;
}

/** An account that is bound to an identity at a provider. */
@Entity('sign_in_links')
export class SignInLink {
  @PrimaryColumn('integer', { name: 'provider_id' }) providerId: number;
  /** The id of the person at the provider. */
  @PrimaryColumn('text') subject: string;
  @Column('integer', { name: 'user_id' }) userId: number;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' }) createdAt: Date;
}
