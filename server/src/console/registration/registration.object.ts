import { Field, InputType } from 'type-graphql';
import { inputFields, text } from '../../platform/graphql/fields.js';

@InputType()
abstract class ChallengedInput {
  @Field(() => String, { nullable: true, description: 'Token of the Turnstile widget, where the site requires it.' })
  turnstile?: string | null;
}

@InputType('RegisterInput', { description: 'A new account.' })
export class RegisterInput extends inputFields(
  {
    username: text('1 to 12 characters, without an @.'),
    password: text('8 to 20 characters.'),
    email: text.orNull('With its code, where the site requires an address.'),
    verificationCode: text.orNull('The code that `sendEmailCode` sent to the address.'),
    inviteCode: text.orNull('Of the user who invited the new one.'),
  },
  ChallengedInput,
) {}

@InputType('SendEmailCodeInput', { description: 'An address to prove.' })
export class SendEmailCodeInput extends ChallengedInput {
  @Field(() => String, { description: 'The address that gets the code.' })
  email: string;
}

@InputType('RequestPasswordResetInput', { description: 'The account whose password is forgotten.' })
export class RequestPasswordResetInput extends ChallengedInput {
  @Field(() => String, { description: 'The address of the account.' })
  email: string;
}

@InputType('ResetPasswordInput', { description: 'The proof from the e-mail of `requestPasswordReset`.' })
export class ResetPasswordInput extends inputFields({
  email: text('From the link in the e-mail.'),
  token: text('From the link in the e-mail.'),
}) {}
