import { Field, InputType } from 'type-graphql';

@InputType()
abstract class ChallengedInput {
  @Field(() => String, { nullable: true, description: 'Token of the Turnstile widget, where the site requires it.' })
  turnstile?: string | null;
}

@InputType('RegisterInput', { description: 'A new account.' })
export class RegisterInput extends ChallengedInput {
  @Field(() => String, { description: '1 to 12 characters, without an @.' })
  username: string;

  @Field(() => String, { description: '8 to 20 characters.' })
  password: string;

  @Field(() => String, { nullable: true, description: 'With its code, where the site requires an address.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'The code that `sendEmailCode` sent to the address.' })
  verificationCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the user who invited the new one.' })
  inviteCode?: string | null;
}

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
export class ResetPasswordInput {
  @Field(() => String, { description: 'From the link in the e-mail.' })
  email: string;

  @Field(() => String, { description: 'From the link in the e-mail.' })
  token: string;
}
