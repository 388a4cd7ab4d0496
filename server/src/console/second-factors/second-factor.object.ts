import { InputType, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  inputFields,
  int,
  json,
  moment,
  nullable,
  of,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { payloadObject } from '../../platform/graphql/payload.js';
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
export class PasskeyObject extends fields({
  id: int('Names the passkey in mutations.'),
  name: text('Chosen by the user.'),
  domain: text('The domain it was made for. Browsers offer it only there.'),
  isSynced: flag('It is synced between the user’s devices.'),
  createdAt: moment('When the passkey was registered.'),
  lastUsedAt: moment.orNull('Null: not used yet.'),
}) {}

@ObjectType('AuthenticatorApp', { description: 'An app that shows six digits every 30 seconds (TOTP).' })
export class AuthenticatorAppObject extends fields({
  createdAt: moment('When the app was set up.'),
  lastUsedAt: moment.orNull('Null: not used since it was set up.'),
}) {}

@ObjectType('SecondFactors', { description: 'The caller’s second factors.' })
export class SecondFactorsObject extends fields({
  authenticatorApp: nullable<AuthenticatorAppObject>(() => AuthenticatorAppObject, 'Null: none is set up.'),
  passkeys: of<Passkey[]>(() => [PasskeyObject], 'Registered passkeys. Empty: none.'),
  recoveryCodesLeft: int('Unused recovery codes.'),
  isRequired: flag('The site requires a second factor of the caller’s role.'),
  needsConfirmation: flag('No second factor was shown in this session for five minutes.'),
}) {}

@ObjectType('SecondFactorChallenge', { description: 'How the caller can show a second factor.' })
export class SecondFactorChallengeObject extends fields({
  kinds: of<FactorKind[]>(
    () => [SecondFactorKindEnum],
    'Proofs that the caller can show here, one of which is enough.',
  ),
  passkeyOptions: json.orNull(
    '`PublicKeyCredentialRequestOptionsJSON` for the browser; null when no passkey can be used here.',
  ),
}) {}

@InputType('SecondFactorInput', { description: 'Exactly one of the fields.' })
export class SecondFactorInput
  extends inputFields({
    code: text.orNull('Six digits of the authenticator app.'),
    recoveryCode: text.orNull('An unused recovery code. It is used up.'),
    passkey: json.orNull('`AuthenticationResponseJSON` of the browser.'),
  })
  implements FactorProof {}

@InputType('AddPasskeyInput', { description: 'A passkey that the browser has made for `beginPasskey`.' })
export class AddPasskeyInput extends inputFields({
  name: text('1 to 64 characters.'),
  response: json('`RegistrationResponseJSON` of the browser.'),
}) {}

/** The description of the recovery codes in payloads. */
export const newCodes =
  'Ten codes that each replace the second factor once. Shown only here; empty when the user has codes already.';

@ObjectType('AddPasskeyPayload', { description: 'The result of `addPasskey`.' })
export class AddPasskeyPayload extends fields({
  passkey: of<Passkey>(() => PasskeyObject, 'The new passkey.'),
  recoveryCodes: texts(newCodes),
}) {}

@ObjectType('BeginAuthenticatorAppPayload', { description: 'The result of `beginAuthenticatorApp`.' })
export class BeginAuthenticatorAppPayload extends fields({
  secret: text('Base32.'),
  uri: text('`otpauth://totp/…`, for a QR code.'),
}) {}

@ObjectType('BeginPasskeySignInPayload', { description: 'The result of `beginPasskeySignIn`.' })
export class BeginPasskeySignInPayload extends fields({
  attempt: text('To be sent back with the response.'),
  options: json('`PublicKeyCredentialRequestOptionsJSON` for the browser.'),
}) {}
export const SignInPayload = payloadObject(
  'SignInPayload',
  'The result of a sign-in, which has set the cookie of a session.',
  { user: [() => UserObject, 'The user who is signed in now.'] },
);

@InputType({ description: 'Another name for a passkey.' })
export class RenamePasskeyInput extends inputFields({
  id: int('`Passkey.id`.'),
  name: text('1 to 64 characters.'),
}) {}

@InputType({ description: 'The response of the browser to `beginPasskeySignIn`.' })
export class PasskeySignInInput extends inputFields({
  attempt: text('`attempt` of `beginPasskeySignIn`.'),
  response: json('`AuthenticationResponseJSON` of the browser.'),
}) {}
