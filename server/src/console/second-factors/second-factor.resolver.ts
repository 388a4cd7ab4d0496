import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { User } from '../../billing/accounts/index.js';
import type { Passkey } from './passkey.entity.js';
import {
  AddPasskeyInput,
  AddPasskeyPayload,
  BeginAuthenticatorAppPayload,
  SecondFactorChallengeObject,
  SecondFactorInput,
  SecondFactorsObject,
  PasskeyObject,
  RenamePasskeyInput,
  newCodes,
} from './second-factor.object.js';
import type { FactorOverview, SecondFactorService } from './second-factor.service.js';
import type { NewAuthenticator } from './totp.js';
import { UserObject } from '../users/user.object.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

/** GraphQL of the caller's own second factors, and of their reset by an admin. */
@Resolver()
export class SecondFactorResolver {
  constructor(private readonly factors: SecondFactorService) {}

  @Access('common')
  @Query(() => SecondFactorsObject, { description: 'The caller’s second factors.' })
  secondFactors(@Ctx() { actor }: GraphQLContext): Promise<FactorOverview> {
    return this.factors.overview(actor);
  }

  @Access('common')
  @Mutation(() => BeginAuthenticatorAppPayload, {
    description: 'Creates the secret of an authenticator app. It counts after `confirmAuthenticatorApp`.',
  })
  beginAuthenticatorApp(@Ctx() { actor }: GraphQLContext): Promise<NewAuthenticator> {
    return this.factors.beginAuthenticatorApp(actor);
  }

  @Access('common')
  @PayloadMutation({ recoveryCodes: [() => [String], newCodes] }, 'Sets the authenticator app up with its first code.')
  async confirmAuthenticatorApp(
    @Ctx() { actor }: GraphQLContext,
    @Arg('code', () => String, { description: 'Six digits that the app shows now.' }) code: string,
  ): Promise<{ recoveryCodes: string[] }> {
    return { recoveryCodes: await this.factors.confirmAuthenticatorApp(actor, code) };
  }

  @Access('common')
  @PayloadMutation(
    { secondFactors: [() => SecondFactorsObject, 'What is left of the caller’s second factors.'] },
    'Removes the caller’s authenticator app.',
  )
  async removeAuthenticatorApp(@Ctx() { actor }: GraphQLContext): Promise<{ secondFactors: FactorOverview }> {
    await this.factors.removeAuthenticatorApp(actor);
    return { secondFactors: await this.factors.overview(actor) };
  }

  @Access('common')
  @PayloadMutation(
    { options: [() => GraphQLJSON, '`PublicKeyCredentialCreationOptionsJSON` for the browser.'] },
    'Begins to register a passkey of this browser or device.',
  )
  async beginPasskey(@Ctx() { actor, request }: GraphQLContext): Promise<{ options: unknown }> {
    return { options: await this.factors.beginPasskey(actor, request.headers.origin) };
  }

  @Access('common')
  @Mutation(() => AddPasskeyPayload, { description: 'Registers a passkey. The response answers `beginPasskey`.' })
  addPasskey(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('input', () => AddPasskeyInput, { description: 'Name and response of the browser.' }) input: AddPasskeyInput,
  ): Promise<AddPasskeyPayload> {
    return this.factors.addPasskey(actor, input, request.headers.origin);
  }

  @Access('common')
  @PayloadMutation(
    { passkey: [() => PasskeyObject, 'The passkey after the change.'] },
    'Gives one of the caller’s passkeys another name.',
  )
  async renamePasskey(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RenamePasskeyInput, { description: 'The passkey and its name.' })
    { id, name }: RenamePasskeyInput,
  ): Promise<{ passkey: Passkey }> {
    return { passkey: await this.factors.renamePasskey(actor, id, name) };
  }

  @Access('common')
  @PayloadMutation({ id: [() => Int, 'The id of the removed passkey.'] }, 'Removes one of the caller’s passkeys.')
  async removePasskey(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Passkey.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.factors.removePasskey(actor, id);
    return { id };
  }

  @Access('common')
  @PayloadMutation(
    {
      recoveryCodes: [() => [String], 'Ten codes that each replace the second factor once. They are shown only here.'],
    },
    'Creates new recovery codes; the old ones stop working.',
  )
  async renewRecoveryCodes(@Ctx() { actor }: GraphQLContext): Promise<{ recoveryCodes: string[] }> {
    return { recoveryCodes: await this.factors.renewRecoveryCodes(actor) };
  }

  @Access('common')
  @Mutation(() => SecondFactorChallengeObject, { description: 'Begins to confirm this session with a second factor.' })
  beginSessionConfirmation(@Ctx() { actor, request }: GraphQLContext): Promise<SecondFactorChallengeObject> {
    return this.factors.beginConfirmation(actor, request.headers.origin);
  }

  @Access('common')
  @PayloadMutation(
    { secondFactors: [() => SecondFactorsObject, 'The caller’s second factors.'] },
    'Confirms this session for five minutes, for operations that answer CONFIRMATION_NEEDED.',
  )
  async confirmSession(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('input', () => SecondFactorInput, { description: 'The proof of the second factor.' }) input: SecondFactorInput,
  ): Promise<{ secondFactors: FactorOverview }> {
    await this.factors.confirm(actor, input, request.headers.origin);
    return { secondFactors: { ...(await this.factors.overview(actor)), needsConfirmation: false } };
  }

  @Access('users.write')
  @PayloadMutation(
    { user: [() => UserObject, 'The user after the change.'] },
    'Removes all second factors of a user below the caller’s role and ends the user’s sessions.',
  )
  async resetSecondFactors(
    @Ctx() { actor }: GraphQLContext,
    @Arg('userId', () => Int, { description: '`User.id`.' }) userId: number,
  ): Promise<{ user: User }> {
    return { user: await this.factors.reset(actor, userId) };
  }
}
