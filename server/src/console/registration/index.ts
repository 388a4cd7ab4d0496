export { EmailBinding } from './email-binding.js';
export { EmailCodeService } from './email-code.service.js';
export { Enrolment } from './enrolment.js';
export { PasswordResetService } from './password-reset.service.js';
export { RegistrationService } from './registration.service.js';
