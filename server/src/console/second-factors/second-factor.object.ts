import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { payloadObject } from '../../platform/graphql/payload.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { UserObject } from '../users/user.object.js';
import type { FactorKind, FactorProof } from './factor-proof.service.js';
import type { Passkey } from './passkey.entity.js';

export const SecondFactorKindEnum = enumType<Record<string, FactorKind>>(
  'SecondFactorKind',
  { AUTHENTICATOR_APP: 'authenticatorApp', PASSKEY: 'passkey', RECOVERY_CODE: 'recoveryCode' },
  'Proofs that a user can show as a second factor.',
  {
    AUTHENTICATOR_APP: 'Six digits of an authenticator app.',
    PASSKEY: 'A passkey of the browser or device.',
    RECOVERY_CODE: 'A recovery code, which works once.',
  },
);

@ObjectType('Passkey', { description: 'A WebAuthn credential of the caller.' })
export class PasskeyObject {
  @Field(() => Int, { description: 'Names the passkey in mutations.' })
  id: number;

  @Field(() => String, { description: 'Chosen by the user.' })
  name: string;

  @Field(() => String, { description: 'The domain it was made for. Browsers offer it only there.' })
  domain: string;

  @Field(() => Boolean, { description: 'It is synced between the user’s devices.' })
  isSynced: boolean;

  @Field(() => Date, { description: 'When the passkey was registered.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: not used yet.' })
  lastUsedAt: Date | null;
}

@ObjectType('AuthenticatorApp', { description: 'An app that shows six digits every 30 seconds (TOTP).' })
export class AuthenticatorAppObject {
  @Field(() => Date, { description: 'When the app was set up.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: not used since it was set up.' })
  lastUsedAt: Date | null;
}

@ObjectType('SecondFactors', { description: 'The caller’s second factors.' })
export class SecondFactorsObject {
  @Field(() => AuthenticatorAppObject, { nullable: true, description: 'Null: none is set up.' })
  authenticatorApp: AuthenticatorAppObject | null;

  @Field(() => [PasskeyObject], { description: 'Registered passkeys. Empty: none.' })
  passkeys: Passkey[];

  @Field(() => Int, { description: 'Unused recovery codes.' })
  recoveryCodesLeft: number;

  @Field(() => Boolean, { description: 'The site requires a second factor of the caller’s role.' })
  isRequired: boolean;

  @Field(() => Boolean, { description: 'No second factor was shown in this session for five minutes.' })
  needsConfirmation: boolean;
}

@ObjectType('SecondFactorChallenge', { description: 'How the caller can show a second factor.' })
export class SecondFactorChallengeObject {
  @Field(() => [SecondFactorKindEnum], { description: 'Proofs that the caller can show here, one of which is enough.' })
  kinds: FactorKind[];

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: '`PublicKeyCredentialRequestOptionsJSON` for the browser; null when no passkey can be used here.',
  })
  passkeyOptions: unknown;
}

@InputType('SecondFactorInput', { description: 'Exactly one of the fields.' })
export class SecondFactorInput implements FactorProof {
  @Field(() => String, { nullable: true, description: 'Six digits of the authenticator app.' })
  code?: string | null;

  @Field(() => String, { nullable: true, description: 'An unused recovery code. It is used up.' })
  recoveryCode?: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: '`AuthenticationResponseJSON` of the browser.' })
  passkey?: unknown;
}

@InputType('AddPasskeyInput', { description: 'A passkey that the browser has made for `beginPasskey`.' })
export class AddPasskeyInput {
  @Field(() => String, { description: '1 to 64 characters.' })
  name: string;

  @Field(() => GraphQLJSON, { description: '`RegistrationResponseJSON` of the browser.' })
  response: unknown;
}

/** The description of the recovery codes in payloads. */
export const newCodes =
  'Ten codes that each replace the second factor once. Shown only here; empty when the user has codes already.';

@ObjectType('AddPasskeyPayload', { description: 'The result of `addPasskey`.' })
export class AddPasskeyPayload {
  @Field(() => PasskeyObject, { description: 'The new passkey.' })
  passkey: Passkey;

  @Field(() => [String], { description: newCodes })
  recoveryCodes: string[];
}

@ObjectType('BeginAuthenticatorAppPayload', { description: 'The result of `beginAuthenticatorApp`.' })
export class BeginAuthenticatorAppPayload {
  @Field(() => String, { description: 'Base32.' })
  secret: string;

  @Field(() => String, { description: '`otpauth://totp/…`, for a QR code.' })
  uri: string;
}

@ObjectType('BeginPasskeySignInPayload', { description: 'The result of `beginPasskeySignIn`.' })
export class BeginPasskeySignInPayload {
  @Field(() => String, { description: 'To be sent back with the response.' })
  attempt: string;

  @Field(() => GraphQLJSON, { description: '`PublicKeyCredentialRequestOptionsJSON` for the browser.' })
  options: unknown;
}
export const SignInPayload = payloadObject(
  'SignInPayload',
  'The result of a sign-in, which has set the cookie of a session.',
  { user: [() => UserObject, 'The user who is signed in now.'] },
);
